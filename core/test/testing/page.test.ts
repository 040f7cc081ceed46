import { describe, expect, it } from 'vitest';
import { createSimulation } from '@edict/core/testing';

describe('the simulated page', () => {
  it('notifies its listeners of changes only', () => {
    const sim = createSimulation();
    const seen: string[] = [];
    const stop = sim.env.page?.onChange((what) => seen.push(what));
    sim.page.setVisible(false);
    sim.page.setVisible(false);
    sim.page.setOnline(false);
    sim.page.hide();
    sim.page.restore();
    expect(seen).toEqual(['visibility', 'network', 'hide', 'restore']);
    expect(sim.env.page?.isVisible()).toBe(false);
    stop?.();
    expect(sim.page.listeners()).toBe(0);
  });

  it('records reloads and logs, and keeps the session store', () => {
    const sim = createSimulation({ startAt: 5 });
    sim.env.reloadPage?.(true);
    sim.env.log('warn', 'hm', 1);
    sim.env.sessionStore?.set('a', 'b');
    expect(sim.reloads).toEqual([{ at: 5, hard: true }]);
    expect(sim.log).toEqual([{ at: 5, level: 'warn', message: 'hm', detail: 1 }]);
    expect(sim.env.sessionStore?.get('a')).toBe('b');
    expect(createSimulation({ isBrowser: false }).env.page).toBeNull();
  });
});

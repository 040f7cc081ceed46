// Light, dark, or the preference of the system.

import { useEffect } from 'react';
import { Monitor, Moon, Sun } from 'lucide-react';
import { useStored, write } from '../stored.ts';

const themes = ['system', 'light', 'dark'] as const;
type Theme = (typeof themes)[number];
const icons = { system: Monitor, light: Sun, dark: Moon };

export function ThemeSwitch() {
  const stored = useStored('local', 'theme');
  const theme: Theme = themes.find((one) => one === stored) ?? 'system';
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system';
  const Icon = icons[theme];
  const label = `Theme: ${theme}. Switch to ${next}.`;

  // public/theme.js does the same before the first paint.
  useEffect(() => {
    if (theme === 'system') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = theme;
  }, [theme]);

  return (
    <button
      type="button"
      className="icon-button"
      aria-label={label}
      title={label}
      onClick={() => write('local', 'theme', next === 'system' ? null : next)}
    >
      <Icon size={18} aria-hidden="true" />
    </button>
  );
}

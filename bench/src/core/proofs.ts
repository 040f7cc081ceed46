// Checks that must pass on every machine: the races, and a storm of directives.

import type { Item } from './backend.ts';
import type { Options } from './subject.ts';
import type { Scene } from './workloads.ts';
import { endTask, forgetTimers, pass, settle } from './world.ts';

export interface Proof {
  readonly id: string;
  readonly title: string;
  /** A description of the fault, or null if the check passed. */
  readonly fault: string | null;
  readonly figures: Readonly<Record<string, number>>;
}

const id = 1;
const doNothing = (): void => undefined;
/** Virtual milliseconds after which all requests have ended. */
const calm = 1500;

function showsTruth({ subject, backend }: Scene): string | null {
  const shown = subject.item(id)?.version;
  const { version } = backend.truth(id);
  return shown === version ? null : `shows version ${String(shown)}, and the server has ${version}`;
}

type Race = readonly [name: string, title: string, run: (scene: Scene) => string | null];

const races: readonly Race[] = [
  [
    'firstLoad',
    'invalidated during the first load',
    (scene) => {
      const { subject, backend } = scene;
      backend.latencyMs = 100;
      subject.watch(id, doNothing);
      pass(20);
      backend.change(id);
      subject.invalidation([id])();
      pass(calm);
      return showsTruth(scene);
    },
  ],
  [
    'refetch',
    'invalidated during a refetch',
    (scene) => {
      const { subject, backend } = scene;
      subject.watch(id, doNothing);
      settle();
      backend.latencyMs = 100;
      backend.change(id);
      subject.invalidation([id])();
      pass(80);
      backend.change(id);
      subject.invalidation([id])();
      pass(calm);
      return showsTruth(scene);
    },
  ],
  [
    'swapped',
    'the response to the earlier request arrives last',
    (scene) => {
      const { subject, backend } = scene;
      subject.watch(id, doNothing);
      settle();
      backend.latencyMs = 400;
      backend.change(id);
      subject.invalidation([id])();
      pass(80);
      backend.latencyMs = 10;
      backend.change(id);
      subject.invalidation([id])();
      pass(calm);
      return showsTruth(scene);
    },
  ],
  [
    'unobserved',
    'invalidated during a read without a watcher, read again later',
    (scene) => {
      const { subject, backend } = scene;
      backend.latencyMs = 100;
      subject.read(id);
      pass(20);
      backend.change(id);
      subject.invalidation([id])();
      pass(calm);
      subject.read(id);
      pass(calm);
      return showsTruth(scene);
    },
  ],
  [
    'hanging',
    'invalidated while the request of another item hangs',
    (scene) => {
      const { subject, backend } = scene;
      subject.watch(id, doNothing);
      settle();
      backend.latencyMs = null;
      subject.watch(2, doNothing);
      pass(20);
      backend.latencyMs = 100;
      backend.change(id);
      subject.invalidation([id])();
      pass(calm);
      return showsTruth(scene);
    },
  ],
];

/** Sends 60 directives for one watched item, 50 ms apart, with responses after 120 ms. Counts the visible updates and the requests. */
function storm(scene: Scene): Omit<Proof, 'id' | 'title'> {
  const { subject, backend } = scene;
  subject.watch(id, doNothing);
  settle();
  backend.latencyMs = 120;
  backend.requests = 0;
  let shown = subject.item(id);
  let updates = 0;
  const look = (): void => {
    const now: Item | undefined = subject.item(id);
    if (now?.version !== shown?.version) updates++;
    shown = now;
  };
  for (let i = 0; i < 60; i++) {
    backend.change(id);
    subject.invalidation([id])();
    endTask();
    for (let ms = 0; ms < 50; ms++) {
      pass(1);
      look();
    }
  }
  const figures = { updates, requests: backend.requests };
  pass(calm);
  return { fault: showsTruth(scene), figures: { ...figures, requests: backend.requests } };
}

/** Runs each check in a scene of its own. */
export function prove(createScene: (n: number, options?: Partial<Options>) => Scene): Proof[] {
  const inScene = <T>(run: (scene: Scene) => T): T => {
    const scene = createScene(10);
    try {
      return run(scene);
    } finally {
      scene.subject.dispose();
      pass(0);
      forgetTimers();
    }
  };
  const proofs: Proof[] = races.map(([name, title, run]) => ({
    id: name,
    title,
    fault: inScene(run),
    figures: {},
  }));
  proofs.push({ id: 'storm', title: 'directive storm', ...inScene(storm) });
  return proofs;
}

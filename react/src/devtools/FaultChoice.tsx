// How the requests of one entry respond.

import type { ReactElement } from 'react';
import { useStore } from '../binding/useStore.ts';
import type { Fault, Faults } from './faults.ts';
import { slowMs } from './faults.ts';
import { duration } from './wording.ts';

const choices: readonly { readonly fault: Fault; readonly label: string }[] = [
  { fault: 'slow', label: `Slow, by ${duration(slowMs)}` },
  { fault: 'failing', label: 'Failing' },
];

export function FaultChoice({ faults, entryKey }: { faults: Faults; entryKey: string }): ReactElement {
  const fault = useStore(faults).get(entryKey);
  return (
    <select
      aria-label="Simulated requests"
      title="Simulate slow or failing requests of this entry"
      data-fault={fault}
      value={fault ?? ''}
      onChange={({ target }) =>
        faults.set(entryKey, choices.find((each) => each.fault === target.value)?.fault ?? null)
      }
    >
      <option value="">Real requests</option>
      {choices.map((each) => (
        <option key={each.fault} value={each.fault}>
          {each.label}
        </option>
      ))}
    </select>
  );
}

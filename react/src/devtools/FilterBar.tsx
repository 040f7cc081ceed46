// The fields that narrow a list of records.

import type { ReactElement, ReactNode } from 'react';
import type { RecordFilter } from './filters.ts';
import { SearchField } from './SearchField.tsx';

interface FilterBarProps {
  readonly label: string;
  readonly filter: RecordFilter;
  readonly names: readonly string[];
  readonly onFilter: (filter: RecordFilter) => void;
  readonly children?: ReactNode;
}

export function FilterBar({ label, filter, names, onFilter, children }: FilterBarProps): ReactElement {
  const { text, name, isErrorsOnly } = filter;
  return (
    <div className="tools" role="toolbar" aria-label={label}>
      <SearchField text={text} onText={(next) => onFilter({ ...filter, text: next })} />
      <select
        aria-label="Name"
        value={name ?? ''}
        onChange={({ target }) => onFilter({ ...filter, name: target.value === '' ? null : target.value })}
      >
        <option value="">Any name</option>
        {/* A name whose records are gone stays selectable while it is selected. */}
        {[...new Set([...names, ...(name === null ? [] : [name])])].map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
      <button
        type="button"
        className="chip"
        data-topic="error"
        aria-pressed={isErrorsOnly}
        onClick={() => onFilter({ ...filter, isErrorsOnly: !isErrorsOnly })}
      >
        Errors only
      </button>
      {children}
    </div>
  );
}

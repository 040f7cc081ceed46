import type { ReactElement } from 'react';

interface SearchFieldProps {
  readonly text: string;
  readonly onText: (text: string) => void;
}

export function SearchField({ text, onText }: SearchFieldProps): ReactElement {
  return (
    <input
      type="search"
      placeholder="Search"
      aria-label="Search"
      value={text}
      onChange={(event) => onText(event.target.value)}
      onKeyDown={(event) => {
        // The first Escape empties the field, and the next one closes the panel.
        if (event.key !== 'Escape' || text === '') return;
        event.preventDefault();
        onText('');
      }}
    />
  );
}

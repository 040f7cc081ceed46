// A select that changes only when the user has chosen an option. Otherwise each arrow key would save an option, or
// add an address to the history.

import type { ComponentProps, KeyboardEvent } from 'react';
import { useNames } from '../desk.tsx';
import { unknownTeam } from '../words.ts';

const walking = ['ArrowDown', 'ArrowUp', 'Home', 'End', 'PageDown', 'PageUp'];

/** The first of these keys opens the list. Enter then chooses. */
function openByKey(event: KeyboardEvent<HTMLSelectElement>): void {
  const select = event.currentTarget;
  if (!walking.includes(event.key) || event.altKey || event.ctrlKey || event.metaKey) return;
  // Browsers that cannot tell whether the list is open keep their own keys.
  if (!CSS.supports('selector(:open)') || select.matches(':open')) return;
  event.preventDefault();
  select.showPicker();
}

export function Select(props: ComponentProps<'select'>) {
  return <select {...props} onKeyDown={openByKey} />;
}

interface ChoiceProps<T extends string> extends Omit<ComponentProps<'select'>, 'onChange'> {
  values: readonly T[];
  words: Readonly<Record<T, string>>;
  onChoose: (value: T) => void;
}

/** A select of a few known values. */
export function Choice<T extends string>({ values, words, onChoose, ...rest }: ChoiceProps<T>) {
  return (
    <Select
      {...rest}
      onChange={({ target }) => {
        const chosen = values.find((one) => one === target.value);
        if (chosen !== undefined) onChoose(chosen);
      }}
    >
      {values.map((one) => (
        <option key={one} value={one}>
          {words[one]}
        </option>
      ))}
    </Select>
  );
}

/** The options for a team, with a name for an id that the directory lacks. */
export function TeamOptions({ chosen }: { chosen: number | 'all' }) {
  const { directory, team } = useNames();
  return (
    <>
      {chosen !== 'all' && team(chosen) === null && <option value={chosen}>{unknownTeam}</option>}
      {directory.teams.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </>
  );
}

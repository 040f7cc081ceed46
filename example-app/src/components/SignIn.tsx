// Signs in as one of the seeded users. A real application would ask for a password.

import { useState } from 'react';
import { LifeBuoy } from 'lucide-react';
import { messageOf, signIn } from '../api.ts';
import type { Directory } from '../model.ts';
import { usePlace } from '../router.tsx';
import { useTitle } from '../title.ts';
import { namesOf } from '../words.ts';
import { Avatar, TeamDot } from './Bits.tsx';
import { ThemeSwitch } from './ThemeSwitch.tsx';

/** The address never redirects to another site. */
function ownAddress(to: string): string {
  const { origin } = location;
  const url = URL.canParse(to, origin) ? new URL(to, origin) : null;
  return url?.origin === origin ? url.href : '/';
}

export function SignIn({ directory }: { directory: Directory }) {
  useTitle('Sign in');
  const [error, setError] = useState<string | null>(null);
  const names = namesOf(directory);
  const to = usePlace().search.get('to') ?? '/';
  const choose = (id: number): void =>
    void signIn(id)
      // Loads a new page, so that no data of the previous session stays in memory.
      .then(() => location.assign(ownAddress(to)))
      .catch((refusal: unknown) => setError(messageOf(refusal)));

  return (
    <main className="sign-in">
      <header>
        <p className="brand">
          <LifeBuoy size={26} aria-hidden="true" />
          <span>Edict Desk</span>
        </p>
        <h1>Choose a user</h1>
        <p>
          Change a ticket in one window, and the others follow immediately. The tabs of a browser share one
          user, so open the second user in a private window.
        </p>
        <a className="button" href="/demo">
          See it in one window, without signing in
        </a>
      </header>
      {error !== null && (
        <p className="form-error" role="alert">
          {error}
        </p>
      )}
      <ul className="faces">
        {directory.people.map((person) => (
          <li key={person.id}>
            <button type="button" className="face" onClick={() => choose(person.id)}>
              <Avatar person={person} size="l" />
              <span className="face-name">{person.name}</span>
              <span className="face-title">{person.title}</span>
              <span className="face-teams">
                {person.teamIds.map((id) => {
                  const team = names.team(id);
                  return team === null ? null : (
                    <span key={id} className="team">
                      <TeamDot team={team} />
                      {team.name}
                    </span>
                  );
                })}
              </span>
            </button>
          </li>
        ))}
      </ul>
      <ThemeSwitch />
    </main>
  );
}

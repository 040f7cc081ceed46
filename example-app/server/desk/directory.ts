// The people and the teams.

import { asc } from 'drizzle-orm';
import type { Directory, Person } from '../../src/model.ts';
import type { Db } from '../db/database.ts';
import * as table from '../db/schema.ts';

export async function directory(db: Db): Promise<Directory> {
  const [people, teams, memberships] = await Promise.all([
    db.select().from(table.people).orderBy(asc(table.people.id)),
    db.select().from(table.teams).orderBy(asc(table.teams.id)),
    db.select().from(table.memberships).orderBy(asc(table.memberships.teamId)),
  ]);
  return {
    teams,
    people: people.map((person) => ({
      ...person,
      teamIds: memberships.filter((one) => one.personId === person.id).map((one) => one.teamId),
    })),
  };
}

export async function findPerson(db: Db, id: number): Promise<Person | null> {
  return (await directory(db)).people.find((person) => person.id === id) ?? null;
}

// The options of `watchTable`.

import type { CollectionName, TypeName } from '@edict/core';

/** A value that the trigger computes from a row. */
export type RowValue =
  | {
      /** The value of a column. */
      column: string;
    }
  | {
      /** The value of an SQL expression over the columns of the row, such as `'team-' || team_id`. */
      sql: string;
    };

/** A definition of `defineItem` or `defineCollection`. */
export interface NamedDefinition {
  /** Whether it is an item type or a collection. */
  readonly kind: 'item' | 'collection';
  /** The registered name. */
  readonly name: string;
}

/** A collection that a row belongs to, with params that are computed from the row. */
export interface WatchCollectionOptions {
  /** The collection. */
  name: CollectionName | NamedDefinition | RowValue;
  /** The params of the lists that contain the row. A string is a column name. Without `params`, every list of the collection is refreshed. */
  params?: Readonly<Record<string, string | RowValue>> | undefined;
  /** `contains` (default) refreshes the lists whose params include these. `exact` refreshes the list with exactly these params. */
  mode?: 'contains' | 'exact' | undefined;
}

/** Options of `watchTable`. An invalid option causes a `TypeError` that names it. */
export interface WatchTableOptions {
  /** The watched table, with its schema if that is not on the search path. Written as in the database: `ticket`, `Ticket` or `app.ticket`. */
  table: string;
  /** The item type: a name, a definition, or a value of the row. */
  type: TypeName | NamedDefinition | RowValue;
  /** The id of the item: a column name, or an SQL expression. A column must be `NOT NULL`. */
  id: string | RowValue;
  /** Collections that list the item. Default: none. Those of the old and of the new row are refreshed. */
  collections?: readonly (CollectionName | NamedDefinition | WatchCollectionOptions)[] | undefined;
  /**
   * The audiences that receive the directives: names, or values of the row. Default `global`. A row whose value is
   * null sends nothing. If an update changes the audience, the directives go to both the old and the new one.
   */
  audience?: string | RowValue | readonly (string | RowValue)[] | undefined;
  /**
   * Columns whose updates matter. An update that changes none of them sends nothing. The columns of `id`, `type`, `audience` and of
   * params always matter. Default: every `UPDATE` matters, and nothing is compared.
   */
  columns?: readonly string[] | undefined;
  /**
   * What happens to the item when its row is deleted. `remove` (default): it is gone, as with `removeItem`. `refresh`: it is fetched again, for
   * tables whose rows are a part of the item, such as comments of a ticket.
   */
  onDelete?: 'remove' | 'refresh' | undefined;
  /** A statement that changes more rows sends one "every item of this type" instead of one directive per row. Default 100. */
  maxItems?: number | undefined;
  /** Distinguishes several watches of the same table and type: up to 30 lower-case letters, digits and `_`. Default: made of the type. */
  name?: string | undefined;
  /** The table of the outbox. Default `edict_outbox`. */
  outbox?: string | undefined;
  /** The definitions that clients register. A type or collection that is not among them is a `TypeError`. */
  register?: readonly NamedDefinition[] | undefined;
}

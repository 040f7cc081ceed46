// A screen of several components over one data layer. Plain data describes the screen. Each component reports what it shows after React
// has committed it.

import type { DehydratedState } from '@edict/core/hydration';
import type { Id } from '@edict/core';
import {
  HydrationBoundary,
  useCollection,
  useErrorReset,
  useInfiniteCollection,
  useItem,
  useItems,
  useMutation,
  useSuspenseCollection,
  useSuspenseItem,
  type MutationContext,
  type MutationResult,
} from '@edict/react';
import * as React from 'react';
import { Activity, Component, memo, Suspense, useDeferredValue, useLayoutEffect } from 'react';
import type { Level, Params } from '../../../core/test/properties/truth.ts';

export type Kind = 'item' | 'items' | 'list' | 'pages' | 'waiting item' | 'waiting list';

/** One component and its arguments. */
export interface Part {
  kind: Kind;
  id: Id;
  level: Level;
  params: Params;
  /** Whether the component reads `meta` too. */
  isWhole: boolean;
  isSelecting: boolean;
  isEnabled: boolean;
  isSilent: boolean;
  keepPrevious: boolean;
  isDeferred: boolean;
}

/** A place on the screen. */
export interface Place {
  readonly key: number;
  readonly part: Part | null;
  readonly isHidden: boolean;
  readonly state: DehydratedState | null;
}

export interface View {
  /** The places in order. The first ones have boundaries of their own, and the others share one. */
  readonly places: readonly Place[];
}

interface Meta {
  isLoading: boolean;
  error: string | null;
  isStale: boolean;
  isPrevious: boolean;
}

/** The values that a component shows. */
export interface Shown {
  part: Part;
  /** The data that the hook returned. For `items`, the data of each row. */
  data: unknown;
  /** Null when the component reads only data. */
  meta: Meta | null;
  hasNextPage: boolean;
  refresh: () => void;
  fetchNextPage: () => void;
}

export type Mutate = (input: number, context: MutationContext) => Promise<unknown>;

/** The parts of the mutation's result that the screen uses. */
export type Runs = Pick<MutationResult<number, unknown>, 'run' | 'reset' | 'isRunning'>;

/** Receives the reports of the components. */
export interface Desk {
  /** The shown data, by the key of the place. */
  shown: Map<number, Shown>;
  rendered: (key: number, shown: Shown, snapshot: object) => void;
  committed: (key: number, shown: Shown) => void;
  left: (key: number) => void;
  caught: Map<number, () => void>;
  mutate: Mutate;
  runs: Runs | null;
  resetErrors: () => void;
  offer: (runs: Runs, resetErrors: () => void) => void;
}

interface PartProps {
  readonly desk: Desk;
  readonly place: number;
  readonly part: Part;
}

const doNothing = (): void => undefined;

function useTold(
  { desk, place, part }: PartProps,
  given: object & { refresh?: () => void },
  more: Partial<Shown>,
): React.ReactElement {
  const shown = {
    part,
    data: null,
    meta: null,
    hasNextPage: false,
    fetchNextPage: doNothing,
    refresh: given.refresh ?? doNothing,
    ...more,
  };
  desk.rendered(place, shown, given);
  useLayoutEffect(() => () => desk.left(place), [desk, place]);
  useLayoutEffect(() => {
    desk.shown.set(place, shown);
    desk.committed(place, shown);
    return () => void desk.shown.delete(place);
  });
  const { data, meta } = shown;
  return <b>{JSON.stringify([data, meta?.isLoading, meta?.error])}</b>;
}

const metaOf = (part: Part, { meta }: { meta: Omit<Meta, never> }): Meta | null => {
  if (!part.isWhole) return null;
  const { isLoading, error, isStale, isPrevious } = meta;
  return { isLoading, error, isStale, isPrevious };
};

/** The select function of the components with `isSelecting`, for items and lists. */
export const selected = (data: unknown): unknown =>
  data === null
    ? 'nothing'
    : 'ids' in (data as object)
      ? [...(data as { ids: Id[] }).ids]
      : { ...(data as object) };

/** The params of the page after `pages`. `page` is the number of rows before it, or the last id plus one. */
export function nextParams(part: Part, pages: readonly { ids: readonly Id[] }[]): Params | null {
  const last = pages.at(-1)?.ids;
  if (last !== undefined && last.length < 2) return null;
  const page = part.isSelecting ? Number(last?.at(-1) ?? -1) + 1 : pages.length * 2;
  return { ...part.params, page };
}

export const rowsOf = ({ isSelecting, id }: Part): (Id | null)[] =>
  isSelecting ? [id, null, 1, String(id)] : [id, 0];

function Item(props: PartProps): React.ReactElement {
  const { part } = props;
  const { isEnabled: enabled, isSilent: silent, keepPrevious } = part;
  const select = part.isSelecting ? (data: unknown) => selected(data) : undefined;
  const snapshot = useItem('doc', part.id, part.level, { enabled, silent, keepPrevious, select });
  return useTold(props, snapshot, { data: snapshot.data, meta: metaOf(part, snapshot) });
}

function Items(props: PartProps): React.ReactElement {
  const { part } = props;
  const rows = useItems('doc', rowsOf(part), part.level, { enabled: part.isEnabled, silent: part.isSilent });
  const metas = rows.map((row) => metaOf(part, row));
  const first = metas[0] ?? null;
  return useTold(props, rows, { data: rows.map(({ data }) => data), meta: first });
}

function List(props: PartProps): React.ReactElement {
  const { part } = props;
  const { isEnabled: enabled, isSilent: silent, keepPrevious, params } = part;
  const select = part.isSelecting ? (data: unknown) => selected(data) : undefined;
  const snapshot = useCollection('docs', {
    params: params && { ...params },
    enabled,
    silent,
    keepPrevious,
    select,
  });
  return useTold(props, snapshot, { data: snapshot.data, meta: metaOf(part, snapshot) });
}

function PagesOf(props: PartProps): React.ReactElement {
  const { part } = props;
  const { isEnabled: enabled, isSilent: silent, keepPrevious } = part;
  const list = useInfiniteCollection('docs', {
    nextParams: (_, pages) => nextParams(part, pages),
    enabled,
    silent,
    keepPrevious,
  });
  const { data, hasNextPage, fetchNextPage } = list;
  return useTold(props, list, { data, hasNextPage, fetchNextPage, meta: metaOf(part, list) });
}

function WaitingItem(props: PartProps): React.ReactElement {
  const { part } = props;
  const select = part.isSelecting ? (data: unknown) => selected(data) : undefined;
  const snapshot = useSuspenseItem('doc', part.id, part.level, { select });
  return useTold(props, snapshot, { data: snapshot.data, meta: metaOf(part, snapshot) });
}

function WaitingList(props: PartProps): React.ReactElement {
  const { part } = props;
  const select = part.isSelecting ? (data: unknown) => selected(data) : undefined;
  const snapshot = useSuspenseCollection('docs', { params: part.params && { ...part.params }, select });
  return useTold(props, snapshot, { data: snapshot.data, meta: metaOf(part, snapshot) });
}

const components = {
  item: memo(Item),
  items: memo(Items),
  list: memo(List),
  pages: memo(PagesOf),
  'waiting item': memo(WaitingItem),
  'waiting list': memo(WaitingList),
};

function Deferred({ part: given, ...props }: PartProps): React.ReactElement {
  const later = useDeferredValue(given);
  const part = given.isDeferred ? later : given;
  const Shows = components[part.kind];
  return <Shows {...props} part={part} />;
}

interface BoundaryProps {
  readonly desk: Desk;
  readonly place: number;
  readonly children: React.ReactNode;
}

class Boundary extends Component<BoundaryProps, { error: unknown }> {
  override state = { error: null };
  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error };
  }
  override componentDidUpdate(): void {
    this.#tell();
  }
  override componentDidMount(): void {
    this.#tell();
  }
  override componentWillUnmount(): void {
    this.props.desk.caught.delete(this.props.place);
  }
  #tell(): void {
    const { desk, place } = this.props;
    if (this.state.error === null) desk.caught.delete(place);
    else desk.caught.set(place, () => this.setState({ error: null }));
  }
  override render(): React.ReactNode {
    return this.state.error === null ? this.props.children : null;
  }
}

const PlaceOf = memo(({ place: { key, part, state }, desk }: { place: Place; desk: Desk }) => {
  const content = part === null ? null : <Deferred desk={desk} place={key} part={part} />;
  return (
    <Boundary desk={desk} place={key}>
      {state === null ? content : <HydrationBoundary state={state}>{content}</HydrationBoundary>}
    </Boundary>
  );
});

const Mutations = memo(({ desk }: { desk: Desk }) => {
  const runs = useMutation(desk.mutate, { until: 'settled' });
  const resetErrors = useErrorReset();
  useLayoutEffect(() => desk.offer(runs, resetErrors));
  return null;
});

/** The number of places that have a boundary of their own. */
const ownBoundaries = 3;

/**
 * React fails when an Activity unmounts whose child has suspended without a boundary inside it. React also leaks the effects of a component
 * whose boundary is hidden while a transition waits to add a sibling. So only places that have a boundary of their own are hidden.
 */
export function Screen({ view: { places }, desk }: { view: View; desk: Desk }): React.ReactElement {
  const alone = places.slice(0, ownBoundaries);
  const together = places.slice(ownBoundaries);
  return (
    <>
      <Mutations desk={desk} />
      {alone.map((place) => (
        <Activity key={place.key} mode={place.isHidden ? 'hidden' : 'visible'}>
          <Suspense fallback={<i />}>
            <PlaceOf place={place} desk={desk} />
          </Suspense>
        </Activity>
      ))}
      <Suspense fallback={<i />}>
        {together.map((place) => (
          <PlaceOf key={place.key} place={place} desk={desk} />
        ))}
      </Suspense>
    </>
  );
}

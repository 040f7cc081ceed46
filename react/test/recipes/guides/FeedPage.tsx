// FeedPage.tsx
import { useInfiniteCollection } from '@edict/react';
import { posts } from './feed.ts';

export function FeedPage({ shown, onMore }: { shown: number; onMore: () => void }) {
  const { data, hasNextPage, fetchNextPage, meta } = useInfiniteCollection(posts, {
    initialPages: shown,
    nextParams: (last) => {
      if (last === undefined) return {};
      return last.info?.next == null ? null : { after: last.info.next };
    },
  });
  const more = () => {
    fetchNextPage();
    onMore(); // Adds 1 to `shown`.
  };
  return (
    <>
      <p>{data.ids.join(', ')}</p>
      {hasNextPage && (
        <button disabled={meta.isLoadingNextPage} onClick={more}>
          More
        </button>
      )}
    </>
  );
}

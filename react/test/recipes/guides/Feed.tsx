// Feed.tsx
import { useInfiniteCollection, useItem } from '@edict/react';
import { post, posts } from './feed.ts';

function Post({ id }: { id: number }) {
  return <p>{useItem(post, id).data?.text}</p>;
}

export function Feed() {
  const { data, error, hasNextPage, fetchNextPage, meta } = useInfiniteCollection(posts, {
    nextParams: (last) => {
      if (last === undefined) return {};
      return last.info?.next == null ? null : { after: last.info.next };
    },
  });
  return (
    <>
      {data.ids.map((id) => (
        <Post key={id} id={id} />
      ))}
      {error !== null && <p role="alert">{error.message}</p>}
      {hasNextPage && (
        <button disabled={meta.isLoadingNextPage} onClick={fetchNextPage}>
          More
        </button>
      )}
    </>
  );
}

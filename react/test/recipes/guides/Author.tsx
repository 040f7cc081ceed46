// Author.tsx
import { defineItem } from '@edict/core';
import { useItem } from '@edict/react';

async function read<T>(path: string, signal: AbortSignal): Promise<T> {
  const response = await fetch(path, { signal });
  if (!response.ok) throw new Error(`${path} could not be read (${response.status}).`);
  return response.json();
}

export const story = defineItem('story', {
  fetch: (id: number, { signal }) => read<{ title: string; authorId: string }>(`/api/stories/${id}`, signal),
});
export const user = defineItem('user', {
  fetch: (id: string, { signal }) => read<{ name: string }>(`/api/users/${id}`, signal),
});

export function Author({ storyId }: { storyId: number }) {
  const { data, isPending } = useItem(story, storyId);
  const author = useItem(user, data?.authorId);
  if (isPending) return <p>Loading …</p>;
  return (
    <p>
      {data?.title}, by {author.data?.name ?? '…'}
    </p>
  );
}

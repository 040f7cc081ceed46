// Comments.tsx
import { defineCollection } from '@edict/core';
import { useCollection, useItem } from '@edict/react';
import { story } from './Author.tsx';

export const comments = defineCollection('comments', {
  async fetch(params: { authorId: string }, { signal }): Promise<{ ids: number[] }> {
    const response = await fetch(`/api/comments?${new URLSearchParams(params)}`, { signal });
    if (!response.ok) throw new Error(`The comments could not be read (${response.status}).`);
    return response.json();
  },
});

export function Comments({ storyId }: { storyId: number }) {
  const { data: shown } = useItem(story, storyId);
  const { data } = useCollection(comments, {
    params: { authorId: shown?.authorId ?? '' },
    enabled: shown !== null,
  });
  return <p>{data.count} comments</p>;
}

// feed.ts
import { defineCollection, defineItem } from '@edict/core';

interface Post {
  id: number;
  text: string;
}

async function read<T>(path: string, signal: AbortSignal): Promise<T> {
  const response = await fetch(path, { signal });
  if (!response.ok) throw new Error(`${path} could not be read (${response.status}).`);
  return response.json();
}

export const post = defineItem('post', {
  fetch: (id: number, { signal }) => read<Post>(`/api/posts/${id}`, signal),
});

export const posts = defineCollection('posts', {
  of: post,
  fetch: (params: { after?: string } | undefined, { signal }) =>
    read<{ items: Post[]; info: { next: string | null } }>(
      `/api/posts?${new URLSearchParams(params)}`,
      signal,
    ),
});

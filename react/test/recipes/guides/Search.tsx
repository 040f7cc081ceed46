// Search.tsx
import { defineCollection } from '@edict/core';
import { useCollection } from '@edict/react';
import { useEffect, useState } from 'react';

export const found = defineCollection('found', {
  async fetch(params: { q: string }, { signal }): Promise<{ ids: number[] }> {
    const response = await fetch(`/api/search?${new URLSearchParams(params)}`, { signal });
    if (!response.ok) throw new Error(`The search failed (${response.status}).`);
    return response.json();
  },
});

/** The value, once it has not changed for a time. */
function usePaused<T>(value: T, ms: number): T {
  const [paused, setPaused] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return paused;
}

export function Search() {
  const [text, setText] = useState('');
  const q = usePaused(text.trim(), 200);
  const { data } = useCollection(found, { params: { q }, enabled: q !== '', keepPrevious: true });
  return (
    <>
      <input type="search" value={text} onChange={(event) => setText(event.target.value)} />
      <output>{data.ids.join(', ')}</output>
    </>
  );
}

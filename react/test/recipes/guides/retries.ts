// retries.ts
import { defineItem, HttpError } from '@edict/core';

export const report = defineItem('report', {
  retry: {
    attempts: 3,
    delayMs: 1000,
    maxDelayMs: 10_000,
    retryOn: (error) => !(error instanceof HttpError) || error.status >= 500,
  },
  async fetch(id: number, { signal }): Promise<{ total: number }> {
    const response = await fetch(`/api/reports/${id}`, { signal });
    if (!response.ok) throw new HttpError(response, await response.json().catch(() => null));
    return response.json();
  },
});

// The texts of the desk. These tests need no browser.

import { expect, test } from '@playwright/test';
import { ago } from '../src/words.ts';

test('a time of the last two weeks is relative, and an older one is a date, with its year if it is another one', () => {
  const now = Date.parse('2027-01-20T12:00:00Z');
  expect(
    ['2027-01-20T11:57:00Z', '2027-01-06T12:00:00Z', '2027-01-06T11:59:59Z', '2026-12-31T23:59:59Z'].map(
      (iso) => ago(iso, now),
    ),
  ).toEqual(['3m ago', '14d ago', 'Jan 6', 'Dec 31, 2026']);
});

/** The address as a URL, or null. `URL.canParse` is missing in older browsers and in the jsdom of Jest 29. */
export function urlOf(address: string, base?: string): URL | null {
  try {
    return new URL(address, base);
  } catch {
    return null;
  }
}

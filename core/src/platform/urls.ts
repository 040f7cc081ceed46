/** The address as a URL, or null. By trying: `URL.canParse` is too new for some browsers, and for the page of Jest 29. */
export function urlOf(address: string, base?: string): URL | null {
  try {
    return new URL(address, base);
  } catch {
    return null;
  }
}

/** The title in the data of a ticket, the only item of the fixtures. */
export const titleOf = (data: unknown): string => (data as { title: string } | null)?.title ?? 'nothing';

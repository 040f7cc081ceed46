import { live } from '../../../lib/live';

export const { GET } = live;

export const subjects = [
  'Refund has not arrived',
  'Invoice has a wrong address',
  'Export stops at 10,000 rows',
  'Two-factor code is not sent',
  'Label prints upside down',
  'Discount code is refused',
  'Delivered parcel is not here',
  'App signs me out every hour',
  'Add a billing contact',
  'Import ends with error 422',
  'Webhook is called twice',
  'Cannot change delivery date',
] as const;

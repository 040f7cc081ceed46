export const subjects = [
  'Refund has not arrived',
  'Wrong invoice address',
  'Export stops halfway',
  'No two-factor code arrives',
  'Label prints upside down',
  'Discount code is refused',
  'Delivered parcel is not here',
  'App signs me out every hour',
  'Add a billing contact',
  'Import ends with error 422',
  'Webhook is called twice',
  'Change of delivery date',
] as const;

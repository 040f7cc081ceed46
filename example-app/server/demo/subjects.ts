export const subjects = [
  'Refund for order 81223 has not arrived',
  'The invoice shows the wrong address',
  'Export stops after 10,000 rows',
  'Two-factor code is never sent',
  'Shipping label prints upside down',
  'Discount code is refused at checkout',
  'Parcel is marked as delivered, but is not here',
  'The app signs me out every hour',
  'Please add a second billing contact',
  'Import ends with error 422',
  'Webhook is called twice',
  'Cannot change the delivery date',
] as const;

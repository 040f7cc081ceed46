// The texts of the seeded tickets: customers of an invented invoicing service, and the replies of the desk.

/** One list per team, in the order of `teamSeeds`. A text from `slots` replaces each `{…}`. */
export interface Template {
  subject: string;
  body: string;
}

export const slots: Record<string, readonly string[]> = {
  amount: ['€49.00', '€118.80', '$1,240.00', '£86.50', '€2,310.75', 'CHF 410.00', '$19.00', '€640.20'],
  invoice: ['INV-20418', 'INV-20977', 'INV-21305', 'INV-21544', 'INV-22016', 'INV-22390', 'INV-23172'],
  plan: ['Starter', 'Growth', 'Scale', 'Enterprise'],
  country: ['Germany', 'Portugal', 'Canada', 'Japan', 'Kenya', 'Norway', 'Brazil', 'Ireland'],
  browser: ['Safari 19', 'Firefox 145', 'Chrome 142', 'Edge 142'],
  month: ['January', 'March', 'May', 'July', 'August', 'October', 'November'],
  tool: ['Xero', 'DATEV', 'QuickBooks', 'NetSuite', 'Sage', 'Zapier', 'HubSpot'],
  endpoint: ['/v2/invoices', '/v2/customers', '/v2/payouts', '/v2/webhooks', '/v2/credit-notes'],
  code: ['401', '409', '422', '429', '500', '502', '504'],
  count: ['3', '12', '40', '118', '260', '1,900'],
  device: ['an iPhone 15', 'a Pixel 9', 'an iPad', 'a shared kiosk', 'a Surface laptop'],
  role: ['an accountant', 'our bookkeeper', 'a contractor', 'the new finance lead', 'an external auditor'],
  time: ['since this morning', 'since Friday', 'for about a week', 'after the last update', 'for two days'],
};

export const templates: readonly (readonly Template[])[] = [
  [
    {
      subject: 'Charged twice for {invoice}',
      body: 'Our card was charged {amount} twice for {invoice}. The bank shows both as settled, only one appears in the billing page. Please refund the second one.',
    },
    {
      subject: 'VAT missing on invoices for {country}',
      body: 'Invoices for customers in {country} come out without VAT {time}. The tax number is stored and was valid when we checked it.',
    },
    {
      subject: 'Please move us from {plan} to yearly billing',
      body: 'We are on {plan}, paid monthly, and would like to pay for the year. Does the discount count from today or from the next period?',
    },
    {
      subject: 'Card declined although it works elsewhere',
      body: 'The payment of {amount} was declined three times. The bank says that no request reached them. Is the 3-D Secure step skipped for cards from {country}?',
    },
    {
      subject: 'Credit note for {invoice} shows the old address',
      body: 'We moved in {month}. The invoice has the new address, its credit note still prints the old one, and our auditor will not take it.',
    },
    {
      subject: 'Refund of {amount} has not arrived',
      body: 'You confirmed a refund of {amount} in {month}. Nothing has arrived so far. Could you send us the reference of the transfer?',
    },
    {
      subject: 'Wrong exchange rate on an invoice to {country}',
      body: '{invoice} was converted with a rate that is four days old. The difference is small, but our books no longer agree with yours.',
    },
    {
      subject: 'Need all {month} invoices as one PDF',
      body: 'Our tax office wants every invoice of {month} in one file. The export stops after {count} pages without an error.',
    },
    {
      subject: 'Reminder sent for an invoice that was paid',
      body: 'A customer paid {invoice} by transfer and got a reminder the next day anyway. This is embarrassing, can we stop reminders for transfers?',
    },
    {
      subject: 'Discount code is refused at checkout',
      body: 'The code from your {month} newsletter answers "not valid for this plan" on {plan}. The newsletter says all plans.',
    },
  ],
  [
    {
      subject: 'API answers {code} on {endpoint}',
      body: 'Requests to {endpoint} answer {code} {time}, about one in {count}. Retrying usually helps. Nothing changed on our side.',
    },
    {
      subject: 'Webhooks arrive {count} minutes late',
      body: 'Events for payments arrive late {time}. The signature is fine, only the time is not. Our fulfilment waits for them.',
    },
    {
      subject: 'Sync with {tool} stopped',
      body: 'The connection to {tool} says "active", but the last {count} invoices were not transferred. Disconnecting and connecting again did not help.',
    },
    {
      subject: 'Export to CSV breaks umlauts',
      body: 'Names such as "Jäger" become unreadable when the export is opened in Excel. It was right until {month}.',
    },
    {
      subject: 'Page stays white in {browser}',
      body: 'The invoice editor stays white in {browser} on {device}. A private window works, so we suspect something that is cached.',
    },
    {
      subject: 'Search does not find {invoice}',
      body: 'Searching for {invoice} finds nothing, although it opens by its link. Other numbers from the same day are found.',
    },
    {
      subject: 'Rate limit reached with {count} requests',
      body: 'We got {code} after {count} requests in a minute. The documentation promises 600 on {plan}. Which of the two is right?',
    },
    {
      subject: 'Two-factor code is never accepted',
      body: 'The six digits from the app are refused on {device}. The clock is set automatically. Recovery codes work.',
    },
    {
      subject: 'Uploading a logo fails with error {code}',
      body: 'A PNG of 400 KB ends with error {code} in {browser}. A smaller one works but looks blurred on paper.',
    },
    {
      subject: 'Duplicate events from {endpoint}',
      body: 'Every change is reported twice {time}, with different event ids. We now book payments of {amount} twice.',
    },
  ],
  [
    {
      subject: 'Importing {count} customers from {tool}',
      body: 'We are moving over from {tool} and have {count} customers in a spreadsheet. Which columns are needed, and what happens with duplicates?',
    },
    {
      subject: 'Invite {role} without access to payouts',
      body: 'We want to invite {role} who may see invoices but not payouts. Which role is that, and does it count as a seat on {plan}?',
    },
    {
      subject: 'How do we set our own invoice numbers?',
      body: 'Our numbers have to go on from {invoice} for legal reasons. The setting starts at 1 and cannot be changed any more.',
    },
    {
      subject: 'Training for a team of {count}',
      body: 'We start in {month} with {count} people. Is there a recorded training, or could somebody walk us through the month-end close?',
    },
    {
      subject: 'Template in a second language',
      body: 'Customers in {country} need invoices in their own language. Can a template have two languages, or do we need two templates?',
    },
    {
      subject: 'Test mode still shows real customers',
      body: 'In test mode the list shows {count} real customers. We are afraid to press the button that deletes test data.',
    },
    {
      subject: 'Connect {tool} before we go live',
      body: 'We go live in {month} and want {tool} to be connected first. What should we prepare, and can it be undone?',
    },
    {
      subject: 'Change the owner of our account',
      body: 'The founder who opened the account has left. We have access to the domain and to the card. What do you need from us?',
    },
  ],
  [
    {
      subject: 'Suspicious sign-in from {country}',
      body: 'We got a notice of a sign-in from {country} with {browser}. Nobody of us is there. We changed the password, what else should we do?',
    },
    {
      subject: 'Phishing mail in your name',
      body: 'Our customers get mails that ask to pay {invoice} to another account. They look like yours. A copy is attached.',
    },
    {
      subject: 'Chargeback on {invoice}',
      body: 'A customer disputes {amount} for {invoice}. We have the signed order and the tracking number. Where do we hand them in, and until when?',
    },
    {
      subject: 'Account frozen without a reason',
      body: 'Our payouts are frozen {time}. The page speaks of a review. We have salaries to pay on Friday and {amount} is stuck.',
    },
    {
      subject: 'Data request by a former customer',
      body: 'A former customer in {country} asks what we store about them. Which data do you keep, and can you export it for us?',
    },
    {
      subject: 'Remove {role} who left in a dispute',
      body: 'We parted with {role} on bad terms. Please end all their sessions at once and tell us what they exported in {month}.',
    },
    {
      subject: 'Stolen cards tried on our checkout',
      body: 'There were {count} failed payments within an hour, all with different cards. Can you block the range before it costs us?',
    },
  ],
  [
    {
      subject: 'Single sign-on loops {time}',
      body: 'Our people are sent back to the sign-in page again and again. The assertion arrives, your log says {code}. About {count} people cannot work.',
    },
    {
      subject: 'Audit log for {month} is incomplete',
      body: 'The audit log of {month} misses two days. Our certification needs it without gaps. Can it be restored?',
    },
    {
      subject: 'Security questionnaire with {count} questions',
      body: 'Our procurement needs {count} answers before the renewal of {plan}. Half of them may be in your white paper. Who can help?',
    },
    {
      subject: 'Region pinning for {country}',
      body: 'The contract says that data stays in {country}. The status page names another region for backups. Please confirm which one is true.',
    },
    {
      subject: 'Payout file rejected by the bank',
      body: "The bank in {country} rejects the payout file with error {code}. Yesterday's was fine. {amount} has to leave before noon.",
    },
    {
      subject: 'Uptime report for {month}',
      body: 'Please send the uptime report for {month}. By our own count there were {count} minutes of failure on {endpoint}.',
    },
    {
      subject: 'Sandbox for a load test',
      body: 'Before the season we want to send {count} invoices a minute to a sandbox. May we, and when would it disturb nobody?',
    },
  ],
];

export const agentReplies: readonly string[] = [
  'Thank you for the details. I could reproduce it and have passed it on; I will write again before the end of the day.',
  'I have looked at the log of that hour and found the request. It was stopped by a rule that should not apply to you. It is lifted now, could you try once more?',
  'Sorry for the trouble. This is on our side, a fix is on its way and should be live tomorrow morning.',
  'Could you send me the exact time and, if possible, a screenshot? With those I can find the right entry.',
  'I have corrected it by hand for now, so that you can go on. The cause is still open, I keep this ticket for it.',
  'That is done. Please check it from your side; if all is well I will close this.',
  'I asked a colleague who knows this part better than I do. She takes over from here.',
  'As far as I can see the setting is right. Does it also happen in a private window, or for another person in your team?',
  'The transfer left us on Tuesday; the reference is in the attachment. Banks take up to three working days.',
  'Thank you for waiting. The export has been made anew, and the link in your mail is valid for seven days.',
];

export const customerReplies: readonly string[] = [
  'Thanks for the quick answer! I will try it and report.',
  'Unfortunately it is the same as before. Is there anything else I could send you?',
  'It works now. Thank you, that was fast.',
  'It happened again ten minutes ago, this time for a colleague.',
  'Any news? Our month-end close is waiting for this.',
  'Here is the screenshot. The time is in the corner.',
  'That explains it. Please leave the ticket open until Friday, then we know for sure.',
  'We can live with that for now, but please do not forget the cause.',
];

export const firstNames: readonly string[] = [
  'Aino',
  'Amara',
  'Bjarne',
  'Carla',
  'Chiara',
  'Daniel',
  'Deniz',
  'Elif',
  'Emeka',
  'Farah',
  'Finn',
  'Greta',
  'Hana',
  'Ivo',
  'Jonas',
  'Julia',
  'Kaito',
  'Kwame',
  'Lea',
  'Luis',
  'Mads',
  'Mei',
  'Nadia',
  'Noah',
  'Olga',
  'Paulo',
  'Priya',
  'Quentin',
  'Rosa',
  'Samuel',
  'Sofia',
  'Tariq',
  'Thuy',
  'Uma',
  'Viktor',
  'Wanda',
  'Yara',
  'Zoe',
];

export const lastNames: readonly string[] = [
  'Adeyemi',
  'Almeida',
  'Bauer',
  'Berg',
  'Castro',
  'Dubois',
  'Eriksen',
  'Fischer',
  'Garcia',
  'Haddad',
  'Ito',
  'Jensen',
  'Kaya',
  'Kowalski',
  'Laurent',
  'Lind',
  'Mbeki',
  'Moretti',
  'Nakamura',
  'Novak',
  'Okafor',
  'Petrov',
  'Quispe',
  'Rossi',
  'Santos',
  'Schmidt',
  'Tanaka',
  'Urban',
  'Vargas',
  'Weber',
  'Yilmaz',
  'Zhang',
];

export const companies: readonly string[] = [
  'alder-and-sons.example',
  'bluequay.example',
  'cobalt.example',
  'driftwood.example',
  'elmfield.example',
  'fjordline.example',
  'granary.example',
  'hillside-clinic.example',
  'ironbridge.example',
  'juniper.example',
  'kestrel-labs.example',
  'lumen-press.example',
  'millrace.example',
  'northgate.example',
  'orchard.example',
];

export const teamSeeds = [
  { name: 'Billing', purpose: 'Payments, invoices, taxes', hue: 150 },
  { name: 'Platform', purpose: 'API, integrations, the app', hue: 250 },
  { name: 'Onboarding', purpose: 'Moving in, training, set-up', hue: 75 },
  { name: 'Trust & Safety', purpose: 'Fraud, disputes, privacy', hue: 15 },
  { name: 'Enterprise', purpose: 'Large customers', hue: 305 },
] as const;

/** `teams` are indexes of `teamSeeds`. */
export const personSeeds = [
  { name: 'Mara Lindqvist', title: 'Support lead', hue: 20, teams: [0, 1, 2, 3, 4] },
  { name: 'Jonas Okafor', title: 'Billing specialist', hue: 150, teams: [0] },
  { name: 'Priya Raman', title: 'Billing specialist', hue: 330, teams: [0, 4] },
  { name: 'Tomás Ferreira', title: 'Integration engineer', hue: 250, teams: [1] },
  { name: 'Yuki Tanabe', title: 'API support', hue: 200, teams: [1, 4] },
  { name: 'Elif Demir', title: 'API support', hue: 280, teams: [1] },
  { name: 'Sam Whitlock', title: 'Onboarding guide', hue: 75, teams: [2] },
  { name: 'Chiara Moretti', title: 'Onboarding guide', hue: 105, teams: [2, 0] },
  { name: 'Dele Adeyemi', title: 'Trust analyst', hue: 0, teams: [3] },
  { name: 'Ines Vogel', title: 'Trust analyst', hue: 45, teams: [3] },
  { name: 'Noah Bergström', title: 'Enterprise manager', hue: 305, teams: [4] },
  { name: 'Aisha Karim', title: 'Enterprise manager', hue: 175, teams: [4, 3] },
] as const;

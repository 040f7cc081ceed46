// Reads the reports of test runners into one form: `{ passed, failed, faults: [{ title, message }] }`.
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/** Reads a JSON report of Vitest. A file whose setup failed has no failed test, and not always a message. */
export const ofVitest = ({ numPassedTests, numFailedTests, testResults }) => ({
  passed: numPassedTests,
  failed: numFailedTests,
  faults: testResults
    .filter(({ status }) => status === 'failed')
    .flatMap(({ name, message, assertionResults }) => {
      const failed = assertionResults.filter(({ status }) => status === 'failed');
      const file = relative(process.cwd(), name);
      return failed.length === 0
        ? [{ title: file, message: message || 'The setup failed. Its output is above.' }]
        : failed.map(({ fullName, failureMessages }) => ({
            title: `${file}: ${fullName}`,
            message: failureMessages.join('\n'),
          }));
    }),
});

/** Reads a JSON report of Playwright. */
export const ofPlaywright = ({ stats, suites, errors }) => ({
  passed: stats.expected + stats.flaky,
  failed: stats.unexpected,
  faults: [
    ...errors.map(({ message }) => ({ title: 'the run', message })),
    ...suites.flatMap(specsOf).flatMap(({ ok, file, title, tests }) =>
      ok
        ? []
        : {
            title: `${file}: ${title}`,
            message: tests
              .flatMap(({ results }) =>
                results.flatMap(({ errors: each }) => each.map(({ message }) => message)),
              )
              .join('\n'),
          },
    ),
  ],
});
function specsOf({ specs, suites = [] }) {
  return [...specs, ...suites.flatMap(specsOf)];
}

/** The first lines of a message, without colors. */
export function firstLines(message) {
  const lines = stripVTControlCharacters(message ?? '').split('\n');
  return lines.slice(0, 12).map((line) => `    ${line.slice(0, 300)}`);
}

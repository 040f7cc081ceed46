// What the reports of test runners say, in one form: { passed, failed, faults: [{ title, message }] }.
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/** What a Vitest JSON report says. A file whose set-up failed has no failed test, and not always a message. */
export const ofVitest = ({ numPassedTests, numFailedTests, testResults }) => ({
  passed: numPassedTests,
  failed: numFailedTests,
  faults: testResults
    .filter(({ status }) => status === 'failed')
    .flatMap(({ name, message, assertionResults }) => {
      const failed = assertionResults.filter(({ status }) => status === 'failed');
      const file = relative(process.cwd(), name);
      return failed.length === 0
        ? [{ title: file, message: message || 'Its set-up failed: what it said stands above.' }]
        : failed.map(({ fullName, failureMessages }) => ({
            title: `${file}: ${fullName}`,
            message: failureMessages.join('\n'),
          }));
    }),
});

/** What a Playwright JSON report says. */
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

/** The first lines of a message, without colours. */
export function firstLines(message) {
  const lines = stripVTControlCharacters(message ?? '').split('\n');
  return lines.slice(0, 12).map((line) => `    ${line.slice(0, 300)}`);
}

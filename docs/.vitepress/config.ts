import { defineConfig } from 'vitepress';
import { writeLlms } from '../../scripts/llms.ts';

/** Links to files of the repository outside of docs/, such as tests and the example, lead to the repository's host. */
const repository = process.env['EDICT_REPOSITORY'] ?? 'https://github.com/edict/edict';

const page = (text: string, link: string): { text: string; link: string } => ({ text, link });

export default defineConfig({
  title: 'Edict',
  description: 'Live data for React, on top of the API you already have',
  lang: 'en-US',
  cleanUrls: true,
  head: [['link', { rel: 'icon', href: '/icon.svg', type: 'image/svg+xml' }]],
  rewrites: { 'README.md': 'index.md', 'api/README.md': 'api/index.md' },
  srcExclude: ['**/*.code/**'],
  buildEnd: ({ site, srcDir, outDir }) => writeLlms({ sidebar: site.themeConfig.sidebar, srcDir, outDir }),
  ignoreDeadLinks: false,
  // A page without a diagram does not need Mermaid, which is most of the site's code.
  shouldPreload: (link) => !link.includes('mermaid'),
  markdown: {
    // The default themes have too little contrast on the gray of a code block.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config(md) {
      const fence = md.renderer.rules.fence;
      md.renderer.rules.fence = (tokens, index, options, env, self) => {
        const token = tokens[index];
        return token?.info.trim() === 'mermaid'
          ? `<Mermaid source="${encodeURIComponent(token.content)}" />`
          : (fence?.(tokens, index, options, env, self) ?? '');
      };
      const render = md.renderer.rules['link_open'];
      md.renderer.rules['link_open'] = (tokens, index, options, env, self) => {
        const token = tokens[index];
        const target = token?.attrGet('href') ?? '';
        const depth = String(env.relativePath ?? '').split('/').length - 1;
        const out = new RegExp(`^(\\./)?(\\.\\./){${depth + 1}}`);
        if (out.test(target)) token?.attrSet('href', `${repository}/blob/main/${target.replace(out, '')}`);
        return render === undefined
          ? self.renderToken(tokens, index, options)
          : render(tokens, index, options, env, self);
      };
    },
  },
  themeConfig: {
    logo: '/icon.svg',
    search: {
      provider: 'local',
      options: {
        miniSearch: {
          searchOptions: {
            // Guides first: the other pages are longer and contain most words.
            boostDocument: (id) => (/^\/(api|specification|internals|conformance|help)\b/.test(id) ? 0.4 : 1),
          },
        },
      },
    },
    outline: [2, 3],
    notFound: { quote: 'Check the address, or search for the page.', linkText: 'Overview' },
    nav: [
      page('Quick start', '/start/quick-start'),
      page('Guides', '/guides/items-and-lists'),
      page('Server', '/server/frameworks'),
      page('Reference', '/reference/'),
    ],
    sidebar: [
      {
        text: 'Start',
        items: [
          page('Overview', '/'),
          page('Quick start', '/start/quick-start'),
          page('Mental model', '/start/mental-model'),
          page('Important defaults', '/start/defaults'),
          page('Comparison', '/start/comparison'),
          page('Side by side', '/start/side-by-side'),
        ],
      },
      {
        text: 'Guides',
        items: [
          page('Items and lists', '/guides/items-and-lists'),
          page('Pagination and search', '/guides/pagination-and-search'),
          page('Infinite lists', '/guides/infinite-lists'),
          page('Dependent reads', '/guides/dependent-reads'),
          page('Mutations', '/guides/mutations'),
          page('Pending UI', '/guides/pending-ui'),
          page('Errors and retries', '/guides/errors-and-retries'),
          page('Prefetching and loaders', '/guides/prefetching-and-loaders'),
          page('Deleted items', '/guides/deleted-items'),
          page('Signing in and out', '/guides/signing-in-and-out'),
          page('Server rendering', '/guides/server-rendering'),
          page('Next.js', '/guides/nextjs'),
          page('TypeScript', '/guides/typescript'),
          page('Testing', '/guides/testing'),
          page('Performance', '/guides/performance'),
          page('Devtools', '/guides/devtools'),
          page('Tabs', '/guides/tabs'),
          page('Adapters', '/guides/adapters'),
          page('Other frameworks', '/guides/other-frameworks'),
        ],
      },
      {
        text: 'Server',
        items: [
          page('Frameworks', '/server/frameworks'),
          page('What to emit', '/server/what-to-emit'),
          page('Authorization', '/server/authorization'),
          page('Outbox', '/server/outbox'),
          page('Table watching', '/server/table-watching'),
          page('Scaling', '/server/scaling'),
          page('Deploying', '/server/deploying'),
          page('Operating', '/server/operating'),
          page('Custom transports', '/server/custom-transports'),
        ],
      },
      {
        text: 'Reference',
        items: [
          page('Overview', '/reference/'),
          {
            text: 'Hooks',
            collapsed: true,
            items: [
              page('useItem', '/reference/use-item'),
              page('useItems', '/reference/use-items'),
              page('useCollection', '/reference/use-collection'),
              page('useInfiniteCollection', '/reference/use-infinite-collection'),
              page('Suspense hooks', '/reference/use-suspense'),
              page('useMutation', '/reference/use-mutation'),
              page('useLifecycle', '/reference/use-lifecycle'),
              page('useConnection', '/reference/use-connection'),
              page('DLProvider, useDL', '/reference/dl-provider'),
            ],
          },
          {
            text: 'Client',
            collapsed: true,
            items: [
              page('defineItem', '/reference/define-item'),
              page('defineCollection', '/reference/define-collection'),
              page('register', '/reference/register'),
              page('DL.init', '/reference/init'),
              page('fetchItem, fetchCollection', '/reference/fetch-item'),
              page('ensureItem', '/reference/ensure-item'),
              page('reset', '/reference/reset'),
              page('DL.fetch, DL.json', '/reference/fetch'),
              page('dehydrate, hydrate', '/reference/hydration'),
            ],
          },
          {
            text: 'Server',
            collapsed: true,
            items: [
              page('createHub', '/reference/create-hub'),
              page('hub.emit', '/reference/emit'),
              page('Directive builders', '/reference/builders'),
              page('authorize', '/reference/authorize'),
              page('hub.disconnect', '/reference/disconnect'),
              page('outbox', '/reference/outbox'),
              page('watchTable', '/reference/watch-table'),
              page('redisBackplane', '/reference/redis-backplane'),
            ],
          },
          page('All exports', '/api/'),
        ],
      },
      {
        text: 'Help',
        items: [
          page('My screen did not update', '/help/troubleshooting'),
          page('Questions', '/help/faq'),
          page('Migrating', '/help/migrating'),
          page('Upgrading', '/help/upgrading'),
          page('Platforms', '/help/platforms'),
        ],
      },
      {
        text: 'Internals',
        items: [
          page('Architecture', '/architecture'),
          page('Correctness', '/internals/correctness'),
          page('Protocol', '/internals/protocol'),
          page('Benchmarks', '/internals/benchmarks'),
          page('Tests', '/internals/testing'),
          page('Dependencies', '/internals/dependencies'),
          page('Specification', '/specification/clauses'),
          page('Conformance', '/conformance'),
        ],
      },
    ],
  },
});

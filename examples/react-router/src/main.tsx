import { DL } from '@edict/core';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createBrowserRouter, RouterProvider } from 'react-router';
import { ticket, tickets } from './data.ts';
import { List, NotFound, Ticket } from './pages.tsx';
import './style.css';

// The loaders wait for what a page shows, so that a page appears with its data. What is cached and fresh is not fetched again.
// They do not reject: a page shows its own error beside the cached data.
const router = createBrowserRouter([
  {
    hydrateFallbackElement: <p>Loading …</p>,
    children: [
      { index: true, element: <List />, loader: () => DL.prefetchCollection(tickets).then(() => null) },
      {
        path: 'tickets/:id',
        element: <Ticket />,
        loader: ({ params }) => DL.prefetchItem(ticket, Number(params.id)).then(() => null),
      },
      { path: '*', element: <NotFound /> },
    ],
  },
]);

createRoot(document.getElementById('root') ?? document.body).render(
  <StrictMode>
    <RouterProvider router={router} />
  </StrictMode>,
);

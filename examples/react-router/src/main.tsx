import { DL } from '@edict/core';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createBrowserRouter, RouterProvider } from 'react-router';
import { ticket, tickets } from './data.ts';
import { Failure, List, NotFound, Ticket } from './pages.tsx';
import './style.css';

// The loaders wait for what a page shows, so that a page appears with its data. What is cached and fresh is not fetched again.
const router = createBrowserRouter([
  {
    errorElement: <Failure />,
    hydrateFallbackElement: <p>Loading …</p>,
    children: [
      { index: true, element: <List />, loader: () => DL.ensureCollection(tickets) },
      {
        path: 'tickets/:id',
        element: <Ticket />,
        loader: ({ params }) => DL.ensureItem(ticket, Number(params.id)),
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

import { Suspense, type ReactNode } from 'react';
import { Live } from './live';
import './style.css';

export const metadata = { title: 'Tickets' };

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body>
        <Suspense>
          <Live>
            <main>{children}</main>
          </Live>
        </Suspense>
      </body>
    </html>
  );
}

// The frame of screens without sign-in: a narrow card under the logo.
import { Outlet } from '@tanstack/react-router';
import { type ReactNode, Suspense } from 'react';
import { ScreenSkeleton } from '../ui/screen-skeleton.tsx';
import classes from './frames.module.css';
import { LanguageMenu } from './language-menu.tsx';
import { LogoMark } from './logo.tsx';
import { PRODUCT_NAME } from './root.tsx';
import { ThemeSwitch } from './theme-switch.tsx';

export function GuestFrame({ children = <Outlet /> }: { children?: ReactNode }) {
  return (
    <div className={classes.guest}>
      <header className={classes.guestHead}>
        <span className={classes.brand}>
          <LogoMark size={30} />
          {PRODUCT_NAME}
        </span>
        <span className={classes.guestTools}>
          <LanguageMenu />
          <ThemeSwitch />
        </span>
      </header>
      <main id="main" tabIndex={-1} className={classes.guestMain}>
        <div className={classes.card}>
          <Suspense fallback={<ScreenSkeleton />}>{children}</Suspense>
        </div>
      </main>
    </div>
  );
}

// The frame of full-window screens without sign-in.
import { Outlet } from '@tanstack/react-router';
import classes from './frames.module.css';

export function OpenFrame() {
  return (
    <main id="main" tabIndex={-1} className={classes.open}>
      <Outlet />
    </main>
  );
}

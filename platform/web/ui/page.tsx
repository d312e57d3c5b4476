// The frame of a screen's content: title, actions with the primary one last, and tabs, all aligned
// with the content at the start side.
import { Anchor, Title } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import { Link, useRouterState } from '@tanstack/react-router';
import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react';
import { useTexts } from '../texts/texts.ts';
import classes from './page.module.css';

export interface PageProps {
  title: ReactNode;
  /** One sentence below the title, if the title alone is not clear. */
  description?: ReactNode;
  /** Beside the title, at the end: the primary action last. */
  actions?: ReactNode;
  /** A link above the title, to the parent screen. */
  back?: { to: string; label: string };
  /** The object's state beside its title (a StatusDot). */
  status?: ReactNode;
  /** `to` may have a query, which preserves filters across tabs. */
  tabs?: { to: string; label: string }[];
  /** full: tables and builders. reading: forms and prose, at most 1200 px. */
  width?: 'full' | 'reading';
  children: ReactNode;
}

export function Page(props: PageProps) {
  const { title, description, actions, back, status, tabs, width = 'full', children } = props;
  const page = useRef<HTMLDivElement>(null);
  useEffect(() => focusFirstField(page.current), []);
  return (
    <div ref={page} className={classes.page} data-width={width}>
      {back && (
        <Anchor component={Link} to={back.to} className={classes.back}>
          <IconArrowLeft size={16} stroke={1.75} className={classes.arrow} aria-hidden="true" />
          {back.label}
        </Anchor>
      )}
      <header className={classes.head}>
        <div className={classes.words}>
          <Title order={1} className={classes.title}>
            {title}
            {status}
          </Title>
          {description && <p className={classes.description}>{description}</p>}
        </div>
        {actions && <div className={classes.actions}>{actions}</div>}
      </header>
      {tabs && <PageTabs tabs={tabs} />}
      {children}
    </div>
  );
}

/**
 * Focuses the field with `data-autofocus` if the user has a mouse; on a phone the keyboard would
 * cover the page.
 */
function focusFirstField(page: HTMLElement | null): void {
  if (window.matchMedia('(pointer: coarse)').matches) return;
  page?.querySelector<HTMLElement>('[data-autofocus]')?.focus({ preventScroll: true });
}

const pathOf = (to: string) => to.replace(/\?.*/s, '');

/** Tabs are links, so that each has its address. */
function PageTabs({ tabs }: { tabs: { to: string; label: string }[] }) {
  const t = useTexts('platform');
  const path = useRouterState({ select: (state) => state.location.pathname });
  const nav = useRef<HTMLElement>(null);
  useLayoutEffect(() => showOpen(nav.current), [path]);
  const openTab = tabs
    .map(({ to }) => pathOf(to))
    .filter((to) => path === to || path.startsWith(`${to}/`))
    .toSorted((a, b) => b.length - a.length)[0];
  return (
    <nav ref={nav} className={classes.tabs} aria-label={t('shell.tabs')}>
      {tabs.map((tab) => (
        <Link
          key={tab.to}
          to={tab.to}
          className={classes.tab}
          aria-current={path === pathOf(tab.to) ? 'page' : undefined}
          data-open={pathOf(tab.to) === openTab || undefined}
        >
          {tab.label}
        </Link>
      ))}
    </nav>
  );
}

/** Scrolls the open tab into view in narrow windows. Scrolls only the tabs, not the page. */
function showOpen(nav: HTMLElement | null): void {
  const tab = nav?.querySelector('[data-open]')?.getBoundingClientRect();
  if (!nav || !tab) return;
  const { left, right } = nav.getBoundingClientRect();
  if (tab.right > right) nav.scrollLeft += tab.right - right;
  else if (tab.left < left) nav.scrollLeft += tab.left - left;
}

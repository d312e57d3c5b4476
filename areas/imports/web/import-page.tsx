// The frame of the import screens: title, the choice of a source, and waiting uploads.
import { Button } from '@mantine/core';
import { Link, useRouterState } from '@tanstack/react-router';
import { type ReactNode, useId } from 'react';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Page } from '#platform/web/ui/page.tsx';
import { ScreenLink } from '#platform/web/ui/screen-link.tsx';
import classes from './import-page.module.css';
import { UploadsList } from './uploads-list.tsx';
import { useSource } from './use-source.ts';

const SOURCES = ['file', 'text', 'switch', 'mailchimp', 'getresponse'] as const;

export function ImportPage({ children }: { children: ReactNode }) {
  const t = useTexts('imports');
  const isChosen = useSource().id !== '';
  return (
    <Page
      title={t('title')}
      description={t('description')}
      actions={
        <Button component={Link} to="/subscribers/imported_subscribers" variant="default">
          {t('history.title')}
        </Button>
      }
    >
      <Sources isChosen={isChosen} />
      {children}
      {!isChosen && <UploadsList />}
    </Page>
  );
}

/** Links to the sources, each with its own URL. Their hints are hidden once an upload is chosen. */
function Sources({ isChosen }: { isChosen: boolean }) {
  const t = useTexts('imports');
  const id = useId();
  const path = useRouterState({ select: (state) => state.location.pathname });
  return (
    <nav className={classes.sources} aria-labelledby={id}>
      <h2 id={id} className={classes.question}>
        {t('have.title')}
      </h2>
      <ul className={classes.list}>
        {SOURCES.map((source) => {
          const href = `/subscribers/import/${source}`;
          return (
            <li key={source} className={classes.source}>
              <ScreenLink
                to={href}
                className={classes.name}
                aria-describedby={isChosen ? undefined : `${id}${source}`}
                aria-current={path === href ? 'page' : undefined}
              >
                {t(`tabs.${source}`)}
              </ScreenLink>
              {!isChosen && (
                <span id={`${id}${source}`} className={classes.hint}>
                  {t(`have.${source}`)}
                </span>
              )}
            </li>
          );
        })}
      </ul>
    </nav>
  );
}

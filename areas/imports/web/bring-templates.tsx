// Templates of another service, chosen as they were exported there: each is kept among the account's own, one
// after the other, and each says what became of it.
import { Button, Text } from '@mantine/core';
import { IconCheck, IconX } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { wordsOf } from '#platform/web/errors.ts';
import { touch } from '#platform/web/queries.ts';
import { useTexts } from '#platform/web/texts.ts';
import classes from './bring-templates.module.css';
import { contentApi } from './queries.ts';

interface Brought {
  name: string;
  /** Why it is not kept. */
  error: string | undefined;
}

export function BringTemplates() {
  const t = useTexts('imports');
  const input = useRef<HTMLInputElement>(null);
  const [isBusy, setBusy] = useState(false);
  const [results, setResults] = useState<readonly Brought[]>([]);
  const bring = async (files: readonly File[]) => {
    setBusy(true);
    setResults([]);
    for (const file of files) {
      const form = new FormData();
      form.append('file', file);
      const one = await contentApi
        .upload('POST /client-api/api/saved_templates/html_file', form)
        .then(({ data }): Brought => ({ name: data.title, error: undefined }))
        .catch((error: unknown): Brought => ({ name: file.name, error: wordsOf(error).message }));
      setResults((before) => [...before, one]);
    }
    setBusy(false);
    void touch('/client-api/api/saved_templates');
  };
  return (
    <div className={classes.part}>
      <Text c="dimmed" size="sm">
        {t('templates.hint')}
      </Text>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        accept=".html,.htm,.xhtml,.zip,text/html,application/zip"
        aria-label={t('templates.choose')}
        onChange={(event) => {
          const files = [...(event.currentTarget.files ?? [])];
          event.currentTarget.value = '';
          if (files.length > 0) void bring(files);
        }}
      />
      <Button variant="default" loading={isBusy} onClick={() => input.current?.click()}>
        {t('templates.choose')}
      </Button>
      {results.length > 0 && (
        <>
          <ul className={classes.results} aria-label={t('templates.result')} aria-live="polite">
            {results.map((one, i) => (
              <li
                key={i}
                className={classes.result}
                data-failed={one.error !== undefined || undefined}
              >
                {one.error === undefined ? (
                  <IconCheck size={18} stroke={1.75} aria-hidden="true" />
                ) : (
                  <IconX size={18} stroke={1.75} aria-hidden="true" />
                )}
                <span>
                  <bdi>{one.name}</bdi>: {one.error ?? t('templates.saved')}
                </span>
              </li>
            ))}
          </ul>
          {results.some((one) => one.error === undefined) && (
            <Text c="dimmed" size="sm">
              {t('templates.where')}
            </Text>
          )}
        </>
      )}
    </div>
  );
}

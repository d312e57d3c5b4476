// A segment being written: its title, its conditions, and at its side who is in.
import { Alert, Button, Group, Paper, Text, TextInput } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { ApiError } from '#platform/web/api-error.ts';
import { toast } from '#platform/web/notices.tsx';
import { touch, useAct } from '#platform/web/queries.ts';
import { useTexts } from '#platform/web/texts.ts';
import { Page } from '#platform/web/ui/page.tsx';
import { useUnsaved } from '#platform/web/use-unsaved.ts';
import type { Segment } from '../contract.ts';
import { TITLE_MOST } from '../limits.ts';
import FilterBuilder from './filter-builder.tsx';
import LivePreview from './live-preview.tsx';
import { ALL, api, LIST, pathOf, peopleOf } from './queries.ts';
import { titleOf } from '../sentence.ts';
import classes from './segment-editor.module.css';
import { Starters } from './starters.tsx';

interface SegmentEditorProps {
  id: string | undefined;
  saved: Saved;
}

/** The title is empty where the segment is called what it reads as. A new one has no revision. */
type Saved = { title: string; filter: string; revision?: number | undefined };

export function savedOf({ title, sentence, filter, revision }: Segment): Saved {
  return { title: title === titleOf(sentence) ? '' : title, filter, revision };
}

export function SegmentEditor({ id, saved }: SegmentEditorProps) {
  const t = useTexts('segments');
  const navigate = useNavigate();
  const [kept, setKept] = useState(saved);
  const [values, setValues] = useState({ title: saved.title, filter: saved.filter });
  const [unfinished, setUnfinished] = useState(0);
  const [isMissing, setMissing] = useState(false);
  const revision = useRef(saved.revision);
  const [newer, setNewer] = useState<Segment>();
  const isDirty = values.title !== kept.title || values.filter !== kept.filter;
  useUnsaved({
    name: `segment:${id ?? 'new'}`,
    unsaved: isDirty ? { ...values, revision: revision.current } : undefined,
    restore: (edit: Saved) => {
      // What was saved elsewhere since is told of when it is saved.
      revision.current = edit.revision ?? revision.current;
      setValues({ title: edit.title, filter: edit.filter });
    },
    guard: true,
  });
  const save = useAct(
    async () => {
      const { filter: conditions } = values;
      const title = values.title.trim() || (id ? await sentenceOf(conditions) : undefined);
      const body = { conditions, ...(title ? { title } : {}) };
      if (!id) return api('POST /client-api/api/filters', { body });
      const params = { id };
      try {
        return await api('PATCH /client-api/api/filters/{id}', {
          params,
          body: { ...body, revision: revision.current },
        });
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'stale_revision') throw error;
        setNewer((await api('GET /client-api/api/filters/{id}', { params })).data);
        return undefined;
      }
    },
    {
      onDone: (answer) => {
        if (!answer) return;
        const { data } = answer;
        revision.current = data.revision;
        const next = { title: values.title.trim(), filter: values.filter };
        setKept(next);
        setValues(next);
        toast(t('save.done', { title: data.title }));
        void touch(LIST);
        if (!id) void navigate({ to: pathOf(data.id), replace: true, ignoreBlocker: true });
      },
    },
  );
  const settle = (now: Segment, whose: 'theirs' | 'ours') => {
    revision.current = now.revision;
    setNewer(undefined);
    setKept(savedOf(now));
    if (whose === 'ours') return save.mutate(undefined);
    const { title, filter } = savedOf(now);
    setValues({ title, filter });
  };
  const submit = () => {
    const isEmpty = values.filter === '';
    setMissing(isEmpty || unfinished > 0);
    if (!isEmpty && unfinished === 0) save.mutate(undefined);
  };
  return (
    <Page
      title={id ? kept.title === '' ? t('edit.title') : <bdi>{kept.title}</bdi> : t('create.title')}
      back={{ to: ALL, label: t('titleAll') }}
      actions={
        <>
          {id && (
            <Button component={Link} to={peopleOf(kept.filter)} variant="default">
              {t('acts.open')}
            </Button>
          )}
          <Button loading={save.isPending} disabled={!!id && !isDirty} onClick={submit}>
            {t('save.confirm')}
          </Button>
        </>
      }
    >
      <div className={classes.columns}>
        <div className={classes.main}>
          {newer && (
            <Alert color="warning" mb="md" title={t('stale.title')}>
              <Text size="sm">{t('stale.text')}</Text>
              <Group mt="xs" gap="xs">
                <Button size="xs" variant="default" onClick={() => settle(newer, 'theirs')}>
                  {t('stale.take')}
                </Button>
                <Button size="xs" variant="default" onClick={() => settle(newer, 'ours')}>
                  {t('stale.keep')}
                </Button>
              </Group>
            </Alert>
          )}
          <TextInput
            label={t('title.label')}
            placeholder={t('title.hint')}
            maxLength={TITLE_MOST}
            value={values.title}
            onChange={(event) => {
              const title = event.currentTarget.value;
              setValues((before) => ({ ...before, title }));
            }}
          />
          <h2 className={classes.heading}>{t('conditions')}</h2>
          <FilterBuilder
            value={values.filter}
            onChange={(filter) => {
              setMissing(false);
              setValues((before) => ({ ...before, filter }));
            }}
            onUnfinished={setUnfinished}
          />
          {!id && values.filter === '' && unfinished === 0 && <Starters choose={setValues} />}
          {isMissing && (
            <p className={classes.fault} role="alert">
              {t(values.filter === '' ? 'save.empty' : 'save.unfinished')}
            </p>
          )}
        </div>
        <Paper withBorder p="md" component="section" className={classes.side} aria-label={t('who')}>
          <LivePreview filter={values.filter} />
        </Paper>
      </div>
    </Page>
  );
}

/** A segment without a title of its own is called what it reads as now. */
async function sentenceOf(conditions: string): Promise<string> {
  const { data } = await api('POST /client-api/api/filters/preview', { body: { conditions } });
  return titleOf(data.sentence);
}

// A segment being written: its title, its conditions, and at its side who is in.
import { Button, Paper, TextInput } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { toast } from '#platform/web/notices.tsx';
import { touch, useAct } from '#platform/web/queries.ts';
import { useTexts } from '#platform/web/texts.ts';
import { Page } from '#platform/web/ui/page.tsx';
import { useUnsaved } from '#platform/web/use-unsaved.ts';
import { TITLE_MOST } from '../limits.ts';
import FilterBuilder from './filter-builder.tsx';
import LivePreview from './live-preview.tsx';
import { ALL, api, LIST, pathOf, peopleOf } from './queries.ts';
import { titleOf } from '../sentence.ts';
import classes from './segment-editor.module.css';
import { Starters } from './starters.tsx';

interface SegmentEditorProps {
  id: string | undefined;
  /** The title is empty where the segment is called what it reads as. */
  saved: { title: string; filter: string };
}

export function SegmentEditor({ id, saved }: SegmentEditorProps) {
  const t = useTexts('segments');
  const navigate = useNavigate();
  const [kept, setKept] = useState(saved);
  const [values, setValues] = useState({ title: saved.title, filter: saved.filter });
  const [unfinished, setUnfinished] = useState(0);
  const [isMissing, setMissing] = useState(false);
  const isDirty = values.title !== kept.title || values.filter !== kept.filter;
  useUnsaved({
    name: `segment:${id ?? 'new'}`,
    unsaved: isDirty ? values : undefined,
    restore: setValues,
    guard: true,
  });
  const save = useAct(
    async () => {
      const { filter: conditions } = values;
      const title = values.title.trim() || (id ? await sentenceOf(conditions) : undefined);
      const body = { conditions, ...(title ? { title } : {}) };
      return id
        ? api('PATCH /client-api/api/filters/{id}', { params: { id }, body })
        : api('POST /client-api/api/filters', { body });
    },
    {
      onDone: ({ data }) => {
        const next = { title: values.title.trim(), filter: values.filter };
        setKept(next);
        setValues(next);
        toast(t('save.done', { title: data.title }));
        void touch(LIST);
        if (!id) void navigate({ to: pathOf(data.id), replace: true, ignoreBlocker: true });
      },
    },
  );
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

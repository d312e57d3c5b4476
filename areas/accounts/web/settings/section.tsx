// A settings section: title and description, with the form or list next to them.
import { Button, Group } from '@mantine/core';
import type { ComponentProps, ReactNode } from 'react';
import { useId } from 'react';
import { useTexts } from '#platform/web/texts/texts.ts';
import classes from './settings.module.css';

interface SectionProps {
  title: string;
  text?: ReactNode;
  children: ReactNode;
}

export function Section({ title, text, children }: SectionProps) {
  const id = useId();
  return (
    <section className={classes.section} aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {text && <p>{text}</p>}
      </header>
      <div className={classes.content}>{children}</div>
    </section>
  );
}

interface SectionFormProps {
  onSubmit: ComponentProps<'form'>['onSubmit'];
  isBusy: boolean;
  /** The label of the button; the default is Save. */
  submitLabel?: string;
  isReady?: boolean;
  /**
   * Whether the form was changed. The button of a changed form is filled, to stand out among the
   * forms of a screen.
   */
  isChanged: boolean;
  /** The content next to the button. */
  extraButton?: ReactNode;
  children: ReactNode;
}

export function SectionForm(props: SectionFormProps) {
  const t = useTexts('accounts');
  const { submitLabel = t('settings.save'), isReady = true, isChanged, extraButton } = props;
  return (
    <form className={classes.form} onSubmit={props.onSubmit} noValidate>
      {props.children}
      <Group gap="xs">
        <Button
          type="submit"
          variant={isChanged ? 'filled' : 'default'}
          loading={props.isBusy}
          disabled={!isReady}
        >
          {submitLabel}
        </Button>
        {extraButton}
      </Group>
    </form>
  );
}

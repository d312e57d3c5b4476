// The frame of the two onboarding forms: the logo, the three steps, and the user's menu.
import { Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { LogoMark } from '#platform/web/frames/logo.tsx';
import { PRODUCT_NAME } from '#platform/web/frames/root.tsx';
import { UserEntry } from '#platform/web/frames/menu-entries.tsx';
import { HeaderStepper } from './header-stepper.tsx';
import classes from './onboarding.module.css';
import type { HeaderStep } from './steps.ts';

interface OnboardingFrameProps {
  step: HeaderStep;
  title: string;
  text: string;
  children: ReactNode;
}

export function OnboardingFrame({ step, title, text, children }: OnboardingFrameProps) {
  const id = useId();
  return (
    <div className={classes.frame}>
      <header className={classes.header}>
        <span className={classes.brand}>
          <LogoMark size={28} />
          <span className={classes.brandName}>{PRODUCT_NAME}</span>
        </span>
        <HeaderStepper current={step} />
        <div className={classes.person}>
          <UserEntry />
        </div>
      </header>
      <section className={classes.card} aria-labelledby={id}>
        <Title order={1} id={id} className={classes.title}>
          {title}
        </Title>
        <p className={classes.text}>{text}</p>
        {children}
      </section>
    </div>
  );
}

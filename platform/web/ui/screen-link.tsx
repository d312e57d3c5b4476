// The router's link with typed search parameters, for `component={ScreenLink}`: a component of
// Mantine loses the type parameters of the router's own.
import { Link } from '@tanstack/react-router';
import type { ComponentProps, ReactElement } from 'react';

export type Search = Record<string, string | undefined>;
type ScreenLinkProps = Omit<ComponentProps<'a'>, 'href'> & { to: string; search?: Search };

export const ScreenLink: (props: ScreenLinkProps) => ReactElement = Link;

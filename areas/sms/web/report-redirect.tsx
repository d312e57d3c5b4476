// `/sms/{id}/report`: its overview.
import { Navigate } from '@tanstack/react-router';
import { useParam } from '#platform/web/use-param.ts';
import { reportPath } from './paths.ts';

export default function ReportRedirect() {
  return <Navigate to={reportPath(useParam('sms'))} replace />;
}

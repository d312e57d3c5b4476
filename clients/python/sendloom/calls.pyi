# Generated from docs/api/v2.json: npm run generate.
from threading import Event
from typing import Any, Dict, List, Literal, Optional, Union, overload
from typing_extensions import NotRequired, TypedDict

_Object1 = TypedDict("_Object1", {"page": NotRequired[int], "limit": NotRequired[int]})
_Object2 = TypedDict("_Object2", {"id": str, "account_id": str, "url": str, "topic": Literal["subscribers/new", "subscribers/updated", "subscribers/unsubscribed", "groups/new", "groups/new-subscriber", "groups/unsubscribed", "campaigns/new", "campaigns/sent", "experiments/decided", "deliverability/changed", "bounces/new", "emails/delivered", "emails/opened", "emails/clicked", "emails/bounced", "emails/complained", "sms/delivered", "sms/replied", "forms/submitted", "workflows/finished", "events/new", "approvals/new", "approvals/decided", "comments/new", "audit/new"], "group": Union[str, None], "total_deliveries": float, "total_failures": float, "response_time": float, "status": Literal["ACTIVE", "PAUSED", "DISABLED"]})
_Object3 = TypedDict("_Object3", {"first": Union[str, None], "last": Union[str, None], "prev": Union[str, None], "next": Union[str, None]})
_Object4 = TypedDict("_Object4", {"url": Union[str, None], "label": str, "active": bool})
_Object5 = TypedDict("_Object5", {"current_page": float, "from": Union[float, None], "last_page": float, "links": List[_Object4], "path": str, "per_page": float, "to": Union[float, None], "total": float})
_Object6 = TypedDict("_Object6", {"data": List[_Object2], "links": _Object3, "meta": _Object5, "has_more_resources": bool})
_Object7 = TypedDict("_Object7", {"url": str, "topic": Literal["subscribers/new", "subscribers/updated", "subscribers/unsubscribed", "groups/new", "groups/new-subscriber", "groups/unsubscribed", "campaigns/new", "campaigns/sent", "experiments/decided", "deliverability/changed", "bounces/new", "emails/delivered", "emails/opened", "emails/clicked", "emails/bounced", "emails/complained", "sms/delivered", "sms/replied", "forms/submitted", "workflows/finished", "events/new", "approvals/new", "approvals/decided", "comments/new", "audit/new"], "relation_id": NotRequired[str]})
_Object8 = TypedDict("_Object8", {"id": str, "account_id": str, "url": str, "topic": Literal["subscribers/new", "subscribers/updated", "subscribers/unsubscribed", "groups/new", "groups/new-subscriber", "groups/unsubscribed", "campaigns/new", "campaigns/sent", "experiments/decided", "deliverability/changed", "bounces/new", "emails/delivered", "emails/opened", "emails/clicked", "emails/bounced", "emails/complained", "sms/delivered", "sms/replied", "forms/submitted", "workflows/finished", "events/new", "approvals/new", "approvals/decided", "comments/new", "audit/new"], "group": Union[str, None], "total_deliveries": float, "total_failures": float, "response_time": float, "status": Literal["ACTIVE", "PAUSED", "DISABLED"], "success": Literal[True], "message": str, "data": _Object2})
_Object9 = TypedDict("_Object9", {"secret": str, "former_until": Union[str, None]})
_Object10 = TypedDict("_Object10", {"data": _Object9})
_Object11 = TypedDict("_Object11", {"id": str})
_Object12 = TypedDict("_Object12", {"url": NotRequired[str], "topic": NotRequired[Literal["subscribers/new", "subscribers/updated", "subscribers/unsubscribed", "groups/new", "groups/new-subscriber", "groups/unsubscribed", "campaigns/new", "campaigns/sent", "experiments/decided", "deliverability/changed", "bounces/new", "emails/delivered", "emails/opened", "emails/clicked", "emails/bounced", "emails/complained", "sms/delivered", "sms/replied", "forms/submitted", "workflows/finished", "events/new", "approvals/new", "approvals/decided", "comments/new", "audit/new"]], "relation_id": NotRequired[str], "status": NotRequired[Literal["ACTIVE", "PAUSED"]]})
_Object13 = TypedDict("_Object13", {"success": Literal[True], "message": str})
_Object14 = TypedDict("_Object14", {"id": str, "state": Literal["due", "delivered", "failed"], "attempts": float, "status": Union[float, None], "answer": Union[str, None], "next_at": str, "created": str})
_Object15 = TypedDict("_Object15", {"data": List[_Object14], "links": _Object3, "meta": _Object5, "has_more_resources": bool})
_Object16 = TypedDict("_Object16", {"from": NotRequired[str], "to": NotRequired[str]})
_Object17 = TypedDict("_Object17", {"success": Literal[True], "message": str, "count": float})
_Object18 = TypedDict("_Object18", {"id": str, "type": Literal["PAID", "FREE", "UNLIMITED"]})
_Object19 = TypedDict("_Object19", {"id": str, "title": str, "resource_key": str, "active_plan": _Object18})
_Object20 = TypedDict("_Object20", {"data": _Object19})
_Object21 = TypedDict("_Object21", {"page": NotRequired[int], "limit": NotRequired[int], "status": NotRequired[Literal["DRAFT", "SCHEDULED", "SENDING", "SENT"]]})
_Object22 = TypedDict("_Object22", {"id": Union[str, None], "thumbnail_url": Union[str, None], "has_preview": bool, "has_snapshots": bool, "html_content": Union[str, None]})
_Object23 = TypedDict("_Object23", {"id": str, "subject": str, "reply_to": str, "language": Union[str, None], "recipient_count": float, "from": str, "schedule_time": Union[str, None], "last_action": str, "sent_time": Union[str, None], "status": Literal["DRAFT", "SCHEDULED", "SENDING", "SENT"], "created": str, "modified": str, "title": str, "domain_id": Union[str, None], "preheader": str, "auto_followup_active": Union[Literal[0], Literal[1]], "auto_followup_subject": Union[str, None], "auto_followup_delay": Union[float, None], "send_to_all": Union[Literal[0], Literal[1]], "sent_count": float, "campaign_groups": List[str], "segments": List[str], "ecommerce_tracking_enabled": Union[Literal[0], Literal[1]], "experiment_id": Union[str, None], "opens": float, "clicks": float, "bounces_count": float, "editor": Union[Literal["editor", "html", "text"], None], "html": _Object22})
_Object24 = TypedDict("_Object24", {"data": List[_Object23], "links": _Object3, "meta": _Object5, "has_more_resources": bool})
_Object25 = TypedDict("_Object25", {"title": NotRequired[Union[str, None]], "subject": str, "from": str, "preheader": NotRequired[Union[str, None]], "reply_to": str, "content_type": Literal["editor", "html", "text"], "content": NotRequired[Union[str, None]], "google_analytics": NotRequired[Union[Union[bool, Literal[0], Literal[1], Literal["0", "1", "true", "false"]], None]], "auto_followup_active": NotRequired[Union[Union[bool, Literal[0], Literal[1], Literal["0", "1", "true", "false"]], None]], "auto_followup_subject": NotRequired[Union[str, None]], "auto_followup_delay": NotRequired[Union[Union[float, str], None]], "groups": NotRequired[Union[Union[List[Union[Union[str, float], None]], Dict[str, Union[Union[str, float], None]], str], None]], "segments": NotRequired[Union[Union[List[Union[Union[str, float], None]], Dict[str, Union[Union[str, float], None]], str], None]]})
_Object26 = TypedDict("_Object26", {"success": Literal[True], "message": str, "data": _Object23})
_Object27 = TypedDict("_Object27", {"ids": NotRequired[Union[str, List[str]]], "ids[]": NotRequired[Union[str, List[str]]], "status": NotRequired[Union[Literal["DRAFT", "SCHEDULED", "SENDING", "SENT", "PENDING", "PREPARING"], None]], "title": NotRequired[Union[str, None]]})
_Object28 = TypedDict("_Object28", {"ids": NotRequired[Union[str, List[str]]], "status": NotRequired[Union[Literal["DRAFT", "SCHEDULED", "SENDING", "SENT", "PENDING", "PREPARING"], None]], "title": NotRequired[Union[str, None]]})
_Object29 = TypedDict("_Object29", {"data": _Object23})
_Object30 = TypedDict("_Object30", {"recipient_id": Union[str, None], "email": Union[str, None], "created_at": str, "link_id": Union[str, None], "url": Union[str, None]})
_Object31 = TypedDict("_Object31", {"data": List[_Object30], "links": _Object3, "meta": _Object5, "has_more_resources": bool})
_Object32 = TypedDict("_Object32", {"recipient_id": Union[str, None], "email": Union[str, None], "created_at": str})
_Object33 = TypedDict("_Object33", {"data": List[_Object32], "links": _Object3, "meta": _Object5, "has_more_resources": bool})
_Object34 = TypedDict("_Object34", {"errors": List[str], "warnings": List[str]})
_Object35 = TypedDict("_Object35", {"schedule_time": str})
_Object36 = TypedDict("_Object36", {"id": NotRequired[str], "email": NotRequired[str], "phone": NotRequired[str]})
_Object37 = TypedDict("_Object37", {"subscriber": _Object36, "type": str, "value": NotRequired[Union[float, None]], "value_currency": NotRequired[Union[str, None]], "properties": NotRequired[Union[Dict[str, Union[str, float, bool, None]], None]]})
_Object38 = TypedDict("_Object38", {"events": List[Any]})
_Object39 = TypedDict("_Object39", {"index": float, "success": bool, "error": NotRequired[str], "code": NotRequired[str], "errors": NotRequired[Dict[str, List[str]]]})
_Object40 = TypedDict("_Object40", {"success": Literal[True], "message": str, "saved": float, "failed": float, "data": List[_Object39]})
_Object41 = TypedDict("_Object41", {"id": str, "title": str, "account_id": str, "user_id": Union[str, None], "created": str, "modified": str, "type": Literal["text", "number", "datetime", "birthday"], "show": float, "field_name": str, "position": float, "default": bool})
_Object42 = TypedDict("_Object42", {"data": List[_Object41], "links": _Object3, "meta": _Object5, "has_more_resources": bool})
_Object43 = TypedDict("_Object43", {"title": str, "type": NotRequired[Literal["text", "number", "datetime", "birthday"]]})
_Object44 = TypedDict("_Object44", {"success": Literal[True], "message": str, "data": _Object41})
_Object45 = TypedDict("_Object45", {"title": NotRequired[str], "show": NotRequired[Union[bool, Literal[0], Literal[1], Literal["0", "1", "true", "false"]]]})
_Object46 = TypedDict("_Object46", {"page": NotRequired[int], "limit": NotRequired[int], "type": NotRequired[Literal["embed", "popup", "spinToWin"]], "is_active": NotRequired[Union[bool, Literal[0], Literal[1], Literal["0", "1", "true", "false"]]]})
_Object47 = TypedDict("_Object47", {"id": str, "embed_hash": str, "resource_path": str})
_Object48 = TypedDict("_Object48", {"id": str, "title": str, "type": Literal["embed", "popup", "spinToWin"], "is_active": bool, "thumbnail_url": Union[str, None], "settings": _Object47, "created": str, "modified": str})
_Object49 = TypedDict("_Object49", {"data": List[_Object48], "links": _Object3, "meta": _Object5, "has_more_resources": bool})
_Object50 = TypedDict("_Object50", {"data": _Object48})
_Object51 = TypedDict("_Object51", {"id": str, "title": str, "recipient_count": float, "active_subscribers": float, "unsubscribed_count": float, "bounced_count": float, "phone_count": float, "active_phone_count": float, "account_id": str, "user_id": Union[str, None], "created": str, "modified": str, "is_recalculating_subscribers": bool, "is_favourite": bool, "used_in_integration": bool})
_Object52 = TypedDict("_Object52", {"data": List[_Object51], "links": _Object3, "meta": _Object5, "has_more_resources": bool})
_Object53 = TypedDict("_Object53", {"title": str})
_Object54 = TypedDict("_Object54", {"success": Literal[True], "message": str, "data": _Object51})
_Object55 = TypedDict("_Object55", {"group": str})
_Object56 = TypedDict("_Object56", {"phone_code": float, "country_code": str})
_Object57 = TypedDict("_Object57", {"email": NotRequired[Literal["active", "bounced", "unsubscribed", "reported", "non-subscribed"]], "temail": NotRequired[Literal["active", "bounced", "unsubscribed", "reported", "non-subscribed"]], "sms": NotRequired[Literal["active", "bounced", "unsubscribed", "reported", "non-subscribed"]], "tsms": NotRequired[Literal["active", "bounced", "unsubscribed", "reported", "non-subscribed"]]})
_Object58 = TypedDict("_Object58", {"id": str, "title": str})
_Object59 = TypedDict("_Object59", {"id": str, "title": str, "type": Literal["text", "number", "datetime", "birthday"], "default": bool, "value": Union[str, float]})
_Object60 = TypedDict("_Object60", {"id": str, "email": Union[str, None], "firstname": Union[str, None], "lastname": Union[str, None], "phone": Union[str, None], "phone_country": Union[_Object56, None], "created": str, "bounced_at": Union[str, None], "unsubscribed_at": Union[str, None], "location": Union[str, None], "ip_address": Union[str, None], "status": _Object57, "subscriber_tags": List[_Object58], "columns": List[_Object59], "source": str})
_Object61 = TypedDict("_Object61", {"data": List[_Object60], "links": _Object3, "meta": _Object5, "has_more_resources": bool, "has_more_not_deleted_subscribers": bool})
_Object62 = TypedDict("_Object62", {"success": Literal[True], "data": _Object51})
_Object63 = TypedDict("_Object63", {"delete_subscribers": NotRequired[Union[bool, Literal[0], Literal[1], Literal["0", "1", "true", "false"]]]})
_Object64 = TypedDict("_Object64", {"id": str, "email": str, "name": Union[str, None], "surname": Union[str, None], "account": _Object19})
_Object65 = TypedDict("_Object65", {"data": _Object64})
_Object66 = TypedDict("_Object66", {"email": str, "name": str})
_Object67 = TypedDict("_Object67", {"email": str, "name": NotRequired[Union[str, None]]})
_Object68 = TypedDict("_Object68", {"name": str, "value": str})
_Object69 = TypedDict("_Object69", {"from": _Object66, "subject": str, "reply_to": NotRequired[Union[Union[_Object67, str], None]], "strict_variables": NotRequired[Union[Union[bool, Literal[0], Literal[1], Literal["0", "1", "true", "false"]], None]], "to": NotRequired[Union[Union[_Object67, str], None]], "recipient_email": NotRequired[Union[str, None]], "text": NotRequired[Union[str, None]], "html": NotRequired[Union[str, None]], "headers": NotRequired[Union[Union[Dict[str, str], List[_Object68]], None]], "variables": NotRequired[Union[Union[List[Any], Dict[str, Any]], None]], "attachments": NotRequired[Union[Union[List[Any], Dict[str, str]], None]]})
_Object70 = TypedDict("_Object70", {"success": Literal[True], "message": str, "emailId": str})
_Object71 = TypedDict("_Object71", {"variables": NotRequired[Union[Union[List[Any], Dict[str, Any]], None]], "to": NotRequired[Union[Union[_Object67, str], None]]})
_Object72 = TypedDict("_Object72", {"subject": str, "html": Union[str, None], "text": str})
_Object73 = TypedDict("_Object73", {"data": _Object72})
_Object74 = TypedDict("_Object74", {"to": NotRequired[Union[Union[_Object67, str], None]], "recipient_email": NotRequired[Union[str, None]], "text": NotRequired[Union[str, None]], "html": NotRequired[Union[str, None]], "headers": NotRequired[Union[Union[Dict[str, str], List[_Object68]], None]], "variables": NotRequired[Union[Union[List[Any], Dict[str, Any]], None]], "attachments": NotRequired[Union[Union[List[Any], Dict[str, str]], None]]})
_Object75 = TypedDict("_Object75", {"type": Literal["tag", "created", "open", "not-open", "click", "not-click", "email_status", "temail_status", "sms_status", "tsms_status", "firstname", "lastname", "email", "phone", "order_count", "order_amount", "cart_product_count", "not_active_customers", "placed_order", "specific_product", "refunded_order", "checkout_started", "visited_cart", "not_active_subscribers", "unsubscribed_at", "geolocation_eu", "text", "number", "datetime", "birthday", "event", "not-event", "sms-click", "not-sms-click"], "operator": Literal["have", "not-have", "before", "between", "after", "all", "specific", "begins", "includes", "not-include", "ends", "equals", "not-equal", "blank", "not-blank", "less-than", "more-than", "is", "not-is", "in", "not-in", "weeks", "months", "today", "days", "month"], "operand": str, "group": float, "outside_concat": Literal["and", "or"], "inside_concat": Literal["and", "or"], "key": str, "more": List[str]})
_Object76 = TypedDict("_Object76", {"id": str, "account_id": str, "name": str, "conditions": List[_Object75], "subscribers": float, "active_subscribers": float, "phone_count": float, "created": str, "modified": str})
_Object77 = TypedDict("_Object77", {"data": List[_Object76], "links": _Object3, "meta": _Object5, "has_more_resources": bool})
_Object78 = TypedDict("_Object78", {"type": str, "operator": str, "operand": NotRequired[Union[Union[str, float], List[Union[str, float]], None]], "group": NotRequired[int], "outside_concat": NotRequired[Literal["and", "or"]], "inside_concat": NotRequired[Literal["and", "or"]], "key": NotRequired[Union[str, None]], "more": NotRequired[List[Union[str, float]]]})
_Object79 = TypedDict("_Object79", {"name": NotRequired[Union[str, None]], "conditions": Union[List[_Object78], str]})
_Object80 = TypedDict("_Object80", {"success": Literal[True], "message": str, "data": _Object76})
_Object81 = TypedDict("_Object81", {"conditions": Union[List[_Object78], str]})
_Object82 = TypedDict("_Object82", {"subscribers": float, "active_subscribers": float, "phone_count": float})
_Object83 = TypedDict("_Object83", {"data": _Object82})
_Object84 = TypedDict("_Object84", {"data": _Object76})
_Object85 = TypedDict("_Object85", {"segment": str})
_Object86 = TypedDict("_Object86", {"phone": str, "name": NotRequired[str]})
_Object87 = TypedDict("_Object87", {"to": Union[_Object86, str], "from": NotRequired[str], "text": str, "title": NotRequired[str], "variables": NotRequired[Dict[str, Union[str, float, bool]]], "add_organization_name": NotRequired[Union[bool, Literal[0], Literal[1], Literal["0", "1", "true", "false"]]], "append_opt_out": NotRequired[Union[bool, Literal[0], Literal[1], Literal["0", "1", "true", "false"]]]})
_Object88 = TypedDict("_Object88", {"success": Literal[True], "message": str, "smsId": str, "reportId": str, "parts": float, "encoding": Literal["GSM-7", "UCS-2"]})
_Object89 = TypedDict("_Object89", {"id": str, "reportId": Union[str, None], "to": str, "from": str, "status": Literal["queued", "sent", "delivered", "undelivered", "failed", "skipped", "unknown"], "reason": Union[str, None], "parts": Union[float, None], "created": str, "sent": Union[str, None], "delivered": Union[str, None]})
_Object90 = TypedDict("_Object90", {"data": _Object89})
_Object91 = TypedDict("_Object91", {"id": str, "domain": str, "name": str, "type": str, "currency": str, "created": str})
_Object92 = TypedDict("_Object92", {"data": List[_Object91]})
_Object93 = TypedDict("_Object93", {"domain": str, "name": NotRequired[Union[str, None]], "type": NotRequired[Union[str, None]]})
_Object94 = TypedDict("_Object94", {"success": Literal[True], "message": str, "data": _Object91})
_Object95 = TypedDict("_Object95", {"data": _Object91})
_Object96 = TypedDict("_Object96", {"delete_subscribers": NotRequired[Union[bool, None]]})
_Object97 = TypedDict("_Object97", {"customers": NotRequired[Union[List[Any], None]], "products": NotRequired[Union[List[Any], None]], "orders": NotRequired[Union[List[Any], None]]})
_Object98 = TypedDict("_Object98", {"success": Literal[True], "message": str, "unknown_groups": NotRequired[List[str]], "unknown_fields": NotRequired[List[str]], "unfit_fields": NotRequired[List[str]]})
_Object99 = TypedDict("_Object99", {"email": NotRequired[Union[str, None]], "firstname": NotRequired[Union[str, None]], "lastname": NotRequired[Union[str, None]], "phone": NotRequired[Union[str, None]], "groups": NotRequired[Union[Union[List[Union[Union[str, float], None]], Dict[str, Union[Union[str, float], None]], str], None]], "fields": NotRequired[Union[Union[List[Any], Dict[str, Any]], None]], "trigger_automation": NotRequired[Union[Union[bool, Literal[0], Literal[1], Literal["0", "1", "true", "false"]], None]], "subscriber_status": NotRequired[Union[Literal["ACTIVE", "UNSUBSCRIBED", "BOUNCED", "SPAM_REPORTED"], None]], "sms_status": NotRequired[Union[Literal["ACTIVE", "UNSUBSCRIBED", "BOUNCED", "SPAM_REPORTED"], None]], "transactional_email_status": NotRequired[Union[Literal["ACTIVE", "UNSUBSCRIBED", "BOUNCED", "SPAM_REPORTED"], None]]})
_Object100 = TypedDict("_Object100", {"success": Literal[True], "message": List[str], "data": _Object60})
_Object101 = TypedDict("_Object101", {"page": NotRequired[int], "limit": NotRequired[int], "email": NotRequired[str]})
_Object102 = TypedDict("_Object102", {"subscribers": Union[List[Union[str, float]], Union[str, float]]})
_Object103 = TypedDict("_Object103", {"message": str, "delete_instance": str})
_Object104 = TypedDict("_Object104", {"subscribers": List[Any]})
_Object105 = TypedDict("_Object105", {"index": float, "success": bool, "error": NotRequired[str], "code": NotRequired[str], "errors": NotRequired[Dict[str, List[str]]], "id": NotRequired[str], "created": NotRequired[bool], "notes": NotRequired[List[str]]})
_Object106 = TypedDict("_Object106", {"success": Literal[True], "message": str, "saved": float, "failed": float, "data": List[_Object105]})
_Object107 = TypedDict("_Object107", {"subscribers": Union[List[Union[str, float]], Union[str, float]], "trigger_automation": NotRequired[Union[Union[bool, Literal[0], Literal[1], Literal["0", "1", "true", "false"]], None]]})
_Object108 = TypedDict("_Object108", {"success": Literal[True], "message": Dict[str, List[str]]})
_Object109 = TypedDict("_Object109", {"subscribers": Union[List[Union[str, float]], Union[str, float]], "channel_status": NotRequired[Literal["EMAIL", "TEMAIL", "SMS", "TSMS", "email", "temail", "sms", "tsms"]]})
_Object110 = TypedDict("_Object110", {"reactivated": float, "skipped": float})
_Object111 = TypedDict("_Object111", {"success": Literal[True], "message": str, "data": _Object110})
_Object112 = TypedDict("_Object112", {"who": str})
_Object113 = TypedDict("_Object113", {"success": Literal[True], "data": _Object60})
_Object114 = TypedDict("_Object114", {"success": Literal[True], "message": str, "data": List[Any]})
_Object115 = TypedDict("_Object115", {"actions": NotRequired[Union[str, List[str]]]})
_Object116 = TypedDict("_Object116", {"created_at": str, "title": Union[str, None], "campaign_id": Union[str, None], "url": Union[str, None]})
_Object117 = TypedDict("_Object117", {"who": str, "field": str})
_Object118 = TypedDict("_Object118", {"value": Union[Union[str, float, bool], None]})
_Object119 = TypedDict("_Object119", {"page": NotRequired[int], "limit": NotRequired[int], "channel": NotRequired[str], "reason": NotRequired[str], "address": NotRequired[str]})
_Object120 = TypedDict("_Object120", {"id": str, "address": Union[str, None], "channel": Literal["email", "temail", "sms", "tsms"], "reason": Literal["bounced", "manual", "unsubscribed", "reported", "erased"], "may_be_removed": bool, "created": str})
_Object121 = TypedDict("_Object121", {"data": List[_Object120], "links": _Object3, "meta": _Object5, "has_more_resources": bool})
_Object122 = TypedDict("_Object122", {"addresses": Union[List[str], str], "channel": NotRequired[str], "reason": NotRequired[str]})
_Object123 = TypedDict("_Object123", {"added": float, "already": float, "invalid": List[str]})
_Object124 = TypedDict("_Object124", {"success": Literal[True], "message": str, "data": _Object123})
_Object125 = TypedDict("_Object125", {"addresses": Union[List[str], str], "channel": NotRequired[str]})
_Object126 = TypedDict("_Object126", {"address": str, "reason": Literal["bounced", "manual", "unsubscribed", "reported", "erased"], "message": str})
_Object127 = TypedDict("_Object127", {"removed": List[str], "kept": List[_Object126], "not_listed": List[str]})
_Object128 = TypedDict("_Object128", {"success": Literal[True], "message": str, "data": _Object127})
_Object129 = TypedDict("_Object129", {"address": str})
_Object130 = TypedDict("_Object130", {"channel": NotRequired[str]})
_Object131 = TypedDict("_Object131", {"data": _Object120})
_Object132 = TypedDict("_Object132", {"id": Union[str, None], "thumbnail_url": Union[str, None], "has_preview": bool, "has_snapshots": bool, "styles": None})
_Object133 = TypedDict("_Object133", {"id": str, "user_id": Union[str, None], "account_id": str, "title": str, "subject": str, "from": str, "reply_to": str, "preheader": str, "domain_id": Union[str, None], "created": str, "modified": str, "type": Literal["API"], "last_action": str, "editor": Union[Literal["plain", "html", "builder"], None], "html": _Object132, "purchaseCount": float})
_Object134 = TypedDict("_Object134", {"data": List[_Object133], "links": _Object3, "meta": _Object5, "has_more_resources": bool})
_Object135 = TypedDict("_Object135", {"title": NotRequired[str], "preheader": NotRequired[str], "subject": str, "from": str, "reply_to": str, "editor": Literal["plain", "html", "builder"], "content": NotRequired[str]})
_Object136 = TypedDict("_Object136", {"data": _Object133})
_Object137 = TypedDict("_Object137", {"title": NotRequired[str], "preheader": NotRequired[str], "subject": NotRequired[str], "from": NotRequired[str], "reply_to": NotRequired[str], "editor": NotRequired[Literal["plain", "html", "builder"]], "content": NotRequired[str]})
_Object138 = TypedDict("_Object138", {"id": str, "email": str, "created_at": str, "url": Union[str, None]})
_Object139 = TypedDict("_Object139", {"data": List[_Object138], "links": _Object3, "meta": _Object5, "has_more_resources": bool})
_Object140 = TypedDict("_Object140", {"from": str, "to": str, "period": Literal["day", "week", "month", "year"]})
_Object141 = TypedDict("_Object141", {"date": str, "sent": float, "opens": float, "clicks": float, "bounces": float, "unsubscribes": float, "spam": float})
_Object142 = TypedDict("_Object142", {"sent": float, "opens": float, "clicks": float, "bounces": float, "unsubscribes": float, "spam": float, "periods": List[_Object141]})
_Object143 = TypedDict("_Object143", {"data": _Object142})
_Object144 = TypedDict("_Object144", {"unsubscribed": float})
_Object145 = TypedDict("_Object145", {"success": Literal[True], "message": str, "data": _Object144})
_Object146 = TypedDict("_Object146", {"page": NotRequired[int], "limit": NotRequired[int], "status": NotRequired[Literal["DRAFT", "ACTIVE", "PAUSED"]], "title": NotRequired[str]})
_Object147 = TypedDict("_Object147", {"sent": float, "opened": float, "clicked": float, "open_rate": float, "click_rate": float})
_Object148 = TypedDict("_Object148", {"id": str, "user_id": Union[str, None], "account_id": str, "title": str, "status": str, "created": str, "modified": str, "emails_sent": float, "type": Literal["automation"], "description": str, "thumbnail": Union[str, None], "workflow_category_id": Union[str, None], "index_report": _Object147})
_Object149 = TypedDict("_Object149", {"data": List[_Object148], "links": _Object3, "meta": _Object5, "has_more_resources": bool})
_Object150 = TypedDict("_Object150", {"sent": float, "opened": float, "clicked": float, "unsubscribed": float, "bounced": float, "open_rate": float, "click_rate": float, "unsubscribe_rate": float, "bounce_rate": float})
_Object151 = TypedDict("_Object151", {"id": str, "user_id": Union[str, None], "account_id": str, "title": str, "status": str, "created": str, "modified": str, "emails_sent": float, "type": Literal["automation"], "description": str, "thumbnail": Union[str, None], "workflow_category_id": Union[str, None], "index_report": _Object147, "report": _Object150})
_Object152 = TypedDict("_Object152", {"data": _Object151})
_Object153 = TypedDict("_Object153", {"success": Literal[True], "data": _Object150})
_Object154 = TypedDict("_Object154", {"email": str})
_Object155 = TypedDict("_Object155", {"batch_no": NotRequired[int]})
_Object156 = TypedDict("_Object156", {"id": str, "workflow_id": str, "parent_id": Union[str, None], "type": str, "trigger_type": Union[str, None], "delay_type": Union[str, None], "condition_path": str, "complete": bool, "active_subscribers_count": float, "thumbnail_url": Union[str, None], "trigger_definition": Union[Dict[str, Any], None], "children": List[str]})

class Calls:
    @overload
    def call(self, name: Literal["GET /v2/account/webhooks"], *, query: Optional[_Object1] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object6:
        "List webhooks"

    @overload
    def call(self, name: Literal["POST /v2/account/webhooks"], *, body: Optional[_Object7] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object8:
        "Create a webhook"

    @overload
    def call(self, name: Literal["GET /v2/account/webhooks/secret"], *, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object10:
        "Get the signing secret"

    @overload
    def call(self, name: Literal["POST /v2/account/webhooks/secret"], *, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object10:
        "Rotate the signing secret"

    @overload
    def call(self, name: Literal["GET /v2/account/webhooks/{id}"], *, params: _Object11, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object2:
        "Get a webhook"

    @overload
    def call(self, name: Literal["PATCH /v2/account/webhooks/{id}"], *, params: _Object11, body: Optional[_Object12] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object2:
        "Update a webhook"

    @overload
    def call(self, name: Literal["PUT /v2/account/webhooks/{id}"], *, params: _Object11, body: Optional[_Object12] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object2:
        "Update a webhook (PUT alias)"

    @overload
    def call(self, name: Literal["POST /v2/account/webhooks/{id}"], *, params: _Object11, body: Optional[_Object12] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object2:
        "Update a webhook (POST alias)"

    @overload
    def call(self, name: Literal["DELETE /v2/account/webhooks/{id}"], *, params: _Object11, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object13:
        "Delete a webhook and its pending deliveries"

    @overload
    def call(self, name: Literal["GET /v2/account/webhooks/{id}/deliveries"], *, params: _Object11, query: Optional[_Object1] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object15:
        "List deliveries of a webhook"

    @overload
    def call(self, name: Literal["POST /v2/account/webhooks/{id}/resend"], *, params: _Object11, body: Optional[_Object16] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object17:
        "Resend deliveries of a webhook"

    @overload
    def call(self, name: Literal["POST /v2/account/webhooks/{id}/test"], *, params: _Object11, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object13:
        "Send a sample event to a webhook"

    @overload
    def call(self, name: Literal["GET /v2/accounts/current"], *, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object20:
        "Get the token's account"

    @overload
    def call(self, name: Literal["GET /v2/campaigns"], *, query: Optional[_Object21] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object24:
        "List campaigns"

    @overload
    def call(self, name: Literal["POST /v2/campaigns"], *, body: Optional[_Object25] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object26:
        "Create a campaign"

    @overload
    def call(self, name: Literal["DELETE /v2/campaigns"], *, query: Optional[_Object27] = ..., body: Optional[_Object28] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object13:
        "Delete several campaigns"

    @overload
    def call(self, name: Literal["GET /v2/campaigns/{id}"], *, params: _Object11, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object29:
        "Get a campaign with its content"

    @overload
    def call(self, name: Literal["DELETE /v2/campaigns/{id}"], *, params: _Object11, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object13:
        "Delete a campaign"

    @overload
    def call(self, name: Literal["POST /v2/campaigns/{id}/cancel_followup"], *, params: _Object11, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object13:
        "Cancel the scheduled resend to non-openers"

    @overload
    def call(self, name: Literal["GET /v2/campaigns/{id}/clicks"], *, params: _Object11, query: Optional[_Object1] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object31:
        "List clicks of a campaign"

    @overload
    def call(self, name: Literal["GET /v2/campaigns/{id}/complaints"], *, params: _Object11, query: Optional[_Object1] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object33:
        "List spam complaints of a campaign"

    @overload
    def call(self, name: Literal["POST /v2/campaigns/{id}/copy"], *, params: _Object11, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object26:
        "Duplicate a campaign"

    @overload
    def call(self, name: Literal["GET /v2/campaigns/{id}/errors"], *, params: _Object11, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object34:
        "Validate a campaign before sending"

    @overload
    def call(self, name: Literal["GET /v2/campaigns/{id}/hard_bounces"], *, params: _Object11, query: Optional[_Object1] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object33:
        "List hard bounces of a campaign"

    @overload
    def call(self, name: Literal["GET /v2/campaigns/{id}/opens"], *, params: _Object11, query: Optional[_Object1] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object33:
        "List opens of a campaign"

    @overload
    def call(self, name: Literal["POST /v2/campaigns/{id}/schedule"], *, params: _Object11, body: Optional[_Object35] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object13:
        "Schedule a campaign"

    @overload
    def call(self, name: Literal["DELETE /v2/campaigns/{id}/schedule"], *, params: _Object11, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object13:
        "Unschedule or stop a campaign"

    @overload
    def call(self, name: Literal["POST /v2/campaigns/{id}/send"], *, params: _Object11, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object13:
        "Send a campaign now"

    @overload
    def call(self, name: Literal["GET /v2/campaigns/{id}/soft_bounces"], *, params: _Object11, query: Optional[_Object1] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object33:
        "List soft bounces of a campaign"

    @overload
    def call(self, name: Literal["GET /v2/campaigns/{id}/unsubscribes"], *, params: _Object11, query: Optional[_Object1] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object33:
        "List unsubscribes of a campaign"

    @overload
    def call(self, name: Literal["POST /v2/events"], *, body: Optional[_Object37] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object13:
        "Add an event to a subscriber"

    @overload
    def call(self, name: Literal["POST /v2/events/batch"], *, body: Optional[_Object38] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object40:
        "Add up to 1,000 events"

    @overload
    def call(self, name: Literal["GET /v2/fields"], *, query: Optional[_Object1] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object42:
        "List custom fields"

    @overload
    def call(self, name: Literal["POST /v2/fields"], *, body: Optional[_Object43] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object44:
        "Create a custom field"

    @overload
    def call(self, name: Literal["PATCH /v2/fields/{id}"], *, params: _Object11, body: Optional[_Object45] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object44:
        "Update a custom field"

    @overload
    def call(self, name: Literal["DELETE /v2/fields/{id}"], *, params: _Object11, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object13:
        "Delete a custom field with its values"

    @overload
    def call(self, name: Literal["GET /v2/forms"], *, query: Optional[_Object46] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object49:
        "List forms"

    @overload
    def call(self, name: Literal["GET /v2/forms/{id}"], *, params: _Object11, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object50:
        "Get a form"

    @overload
    def call(self, name: Literal["GET /v2/groups"], *, query: Optional[_Object1] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object52:
        "List groups with their counts"

    @overload
    def call(self, name: Literal["POST /v2/groups"], *, body: Optional[_Object53] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object54:
        "Create a group"

    @overload
    def call(self, name: Literal["GET /v2/groups/{group}/subscribers"], *, params: _Object55, query: Optional[_Object1] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object61:
        "List subscribers of a group"

    @overload
    def call(self, name: Literal["GET /v2/groups/{id}"], *, params: _Object11, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object62:
        "Get a group with its counts"

    @overload
    def call(self, name: Literal["PATCH /v2/groups/{id}"], *, params: _Object11, body: Optional[_Object53] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object54:
        "Rename a group"

    @overload
    def call(self, name: Literal["DELETE /v2/groups/{id}"], *, params: _Object11, body: Optional[_Object63] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object13:
        "Delete a group"

    @overload
    def call(self, name: Literal["GET /v2/me"], *, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object65:
        "Get the token's user"

    @overload
    def call(self, name: Literal["POST /v2/message/send"], *, body: Optional[_Object69] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object70:
        "Send an email without a template"

    @overload
    def call(self, name: Literal["POST /v2/message/{id}/preview"], *, params: _Object11, body: Optional[_Object71] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object73:
        "Render a template for a recipient"

    @overload
    def call(self, name: Literal["POST /v2/message/{id}/send"], *, params: _Object11, body: Optional[_Object74] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object70:
        "Send a template to one recipient"

    @overload
    def call(self, name: Literal["GET /v2/segments"], *, query: Optional[_Object1] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object77:
        "List segments with their counts"

    @overload
    def call(self, name: Literal["POST /v2/segments"], *, body: Optional[_Object79] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object80:
        "Create a segment from conditions"

    @overload
    def call(self, name: Literal["POST /v2/segments/count"], *, body: Optional[_Object81] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object83:
        "Count subscribers who match conditions"

    @overload
    def call(self, name: Literal["GET /v2/segments/{id}"], *, params: _Object11, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object84:
        "Get a segment"

    @overload
    def call(self, name: Literal["DELETE /v2/segments/{id}"], *, params: _Object11, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object13:
        "Delete a segment"

    @overload
    def call(self, name: Literal["GET /v2/segments/{segment}/subscribers"], *, params: _Object85, query: Optional[_Object1] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object61:
        "List subscribers in a segment"

    @overload
    def call(self, name: Literal["POST /v2/sms/send"], *, body: Optional[_Object87] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object88:
        "Send a transactional SMS"

    @overload
    def call(self, name: Literal["GET /v2/sms/{id}"], *, params: _Object11, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object90:
        "Get a transactional SMS"

    @overload
    def call(self, name: Literal["GET /v2/stores"], *, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object92:
        "List connected stores"

    @overload
    def call(self, name: Literal["POST /v2/stores"], *, body: Optional[_Object93] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object94:
        "Add a store connected by its plugin"

    @overload
    def call(self, name: Literal["GET /v2/stores/{id}"], *, params: _Object11, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object95:
        "Get a store"

    @overload
    def call(self, name: Literal["DELETE /v2/stores/{id}"], *, params: _Object11, body: Optional[Union[_Object96, None]] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object13:
        "Disconnect a store"

    @overload
    def call(self, name: Literal["POST /v2/stores/{id}/import_shop_data"], *, params: _Object11, body: Optional[_Object97] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object98:
        "Import customers, products or orders of a store"

    @overload
    def call(self, name: Literal["POST /v2/subscribers"], *, body: Optional[_Object99] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object100:
        "Create or update a subscriber"

    @overload
    def call(self, name: Literal["GET /v2/subscribers"], *, query: Optional[_Object101] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object61:
        "List subscribers"

    @overload
    def call(self, name: Literal["DELETE /v2/subscribers"], *, body: Optional[_Object102] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object103:
        "Delete subscribers"

    @overload
    def call(self, name: Literal["POST /v2/subscribers/batch"], *, body: Optional[_Object104] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object106:
        "Create or update up to 1,000 subscribers"

    @overload
    def call(self, name: Literal["POST /v2/subscribers/groups/{group}"], *, params: _Object55, body: Optional[_Object107] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object108:
        "Add subscribers to a group"

    @overload
    def call(self, name: Literal["DELETE /v2/subscribers/groups/{group}"], *, params: _Object55, body: Optional[_Object107] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object108:
        "Remove subscribers from a group"

    @overload
    def call(self, name: Literal["POST /v2/subscribers/reactivate"], *, body: Optional[_Object109] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object111:
        "Restore subscribers to a channel"

    @overload
    def call(self, name: Literal["GET /v2/subscribers/{who}"], *, params: _Object112, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object113:
        "Get a subscriber"

    @overload
    def call(self, name: Literal["PATCH /v2/subscribers/{who}"], *, params: _Object112, body: Optional[_Object99] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object114:
        "Update a subscriber"

    @overload
    def call(self, name: Literal["GET /v2/subscribers/{who}/events"], *, params: _Object112, query: Optional[_Object115] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> Dict[str, Dict[str, List[_Object116]]]:
        "List events of a subscriber"

    @overload
    def call(self, name: Literal["PATCH /v2/subscribers/{who}/fields/{field}"], *, params: _Object117, body: Optional[_Object118] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object114:
        "Set a field of a subscriber"

    @overload
    def call(self, name: Literal["DELETE /v2/subscribers/{who}/phone"], *, params: _Object112, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object114:
        "Remove a subscriber's phone number"

    @overload
    def call(self, name: Literal["DELETE /v2/subscribers/{who}/remove_phone"], *, params: _Object112, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object114:
        "Remove a phone number (alias)"

    @overload
    def call(self, name: Literal["GET /v2/suppressions"], *, query: Optional[_Object119] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object121:
        "List suppressed addresses of a channel"

    @overload
    def call(self, name: Literal["POST /v2/suppressions"], *, body: Optional[_Object122] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object124:
        "Add addresses to the suppression list"

    @overload
    def call(self, name: Literal["DELETE /v2/suppressions"], *, body: Optional[_Object125] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object128:
        "Remove addresses from the suppression list"

    @overload
    def call(self, name: Literal["GET /v2/suppressions/{address}"], *, params: _Object129, query: Optional[_Object130] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object131:
        "Get the suppression of an address"

    @overload
    def call(self, name: Literal["DELETE /v2/suppressions/{address}"], *, params: _Object129, query: Optional[_Object130] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object13:
        "Remove an address from the suppression list"

    @overload
    def call(self, name: Literal["GET /v2/tags"], *, query: Optional[_Object1] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object52:
        "List groups with their counts"

    @overload
    def call(self, name: Literal["POST /v2/tags"], *, body: Optional[_Object53] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object54:
        "Create a group"

    @overload
    def call(self, name: Literal["GET /v2/tags/{id}"], *, params: _Object11, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object62:
        "Get a group with its counts"

    @overload
    def call(self, name: Literal["PATCH /v2/tags/{id}"], *, params: _Object11, body: Optional[_Object53] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object54:
        "Rename a group"

    @overload
    def call(self, name: Literal["DELETE /v2/tags/{id}"], *, params: _Object11, body: Optional[_Object63] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object13:
        "Delete a group"

    @overload
    def call(self, name: Literal["GET /v2/transactional"], *, query: Optional[_Object1] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object134:
        "List templates"

    @overload
    def call(self, name: Literal["POST /v2/transactional"], *, body: Optional[_Object135] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object136:
        "Create a template"

    @overload
    def call(self, name: Literal["GET /v2/transactional/{id}"], *, params: _Object11, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object136:
        "Get a template"

    @overload
    def call(self, name: Literal["PATCH /v2/transactional/{id}"], *, params: _Object11, body: Optional[_Object137] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object136:
        "Update a template"

    @overload
    def call(self, name: Literal["DELETE /v2/transactional/{id}"], *, params: _Object11, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object13:
        "Delete a template"

    @overload
    def call(self, name: Literal["GET /v2/transactional/{id}/bounces"], *, params: _Object11, query: Optional[_Object1] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object139:
        "List bounces of a template"

    @overload
    def call(self, name: Literal["GET /v2/transactional/{id}/clicks"], *, params: _Object11, query: Optional[_Object1] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object139:
        "List clicks of a template"

    @overload
    def call(self, name: Literal["GET /v2/transactional/{id}/complaints"], *, params: _Object11, query: Optional[_Object1] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object139:
        "List spam complaints of a template"

    @overload
    def call(self, name: Literal["GET /v2/transactional/{id}/opens"], *, params: _Object11, query: Optional[_Object1] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object139:
        "List opens of a template"

    @overload
    def call(self, name: Literal["GET /v2/transactional/{id}/report"], *, params: _Object11, query: _Object140, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object143:
        "Get statistics of a template"

    @overload
    def call(self, name: Literal["GET /v2/transactional/{id}/sent"], *, params: _Object11, query: Optional[_Object1] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object139:
        "List recipients of a template"

    @overload
    def call(self, name: Literal["GET /v2/transactional/{id}/unsubscribes"], *, params: _Object11, query: Optional[_Object1] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object139:
        "List unsubscribes of a template"

    @overload
    def call(self, name: Literal["POST /v2/unsubscribes"], *, body: Optional[_Object109] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object145:
        "Remove subscribers from a channel"

    @overload
    def call(self, name: Literal["GET /v2/users"], *, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object64:
        "Get the token's user (unwrapped)"

    @overload
    def call(self, name: Literal["GET /v2/workflows"], *, query: Optional[_Object146] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object149:
        "List workflows with statistics"

    @overload
    def call(self, name: Literal["GET /v2/workflows/{id}"], *, params: _Object11, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object152:
        "Get a workflow with its report"

    @overload
    def call(self, name: Literal["GET /v2/workflows/{id}/average_report"], *, params: _Object11, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object153:
        "Get statistics of a workflow"

    @overload
    def call(self, name: Literal["POST /v2/workflows/{id}/start"], *, params: _Object11, body: Optional[_Object154] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _Object13:
        "Start a workflow for a subscriber"

    @overload
    def call(self, name: Literal["GET /v2/workflows/{id}/steps"], *, params: _Object11, query: Optional[_Object155] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> List[_Object156]:
        "List steps of a workflow"


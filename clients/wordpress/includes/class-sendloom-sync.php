<?php
/** The whole shop at first and on demand, then changed products and customers, by Action Scheduler. */

defined( 'ABSPATH' ) || exit;

/** Products, customers and orders in pages. */
class Sendloom_Sync {

	const KINDS        = array( 'products', 'customers', 'orders' );
	const PER_PAGE     = 50;
	const MAX_ATTEMPTS = 8;

	/** Adds hooks. */
	public static function start() {
		add_action( 'sendloom_sync', array( __CLASS__, 'run' ), 10, 3 );
		add_action( 'sendloom_send_one', array( __CLASS__, 'send_one' ), 10, 2 );
		add_action( 'woocommerce_new_product', array( __CLASS__, 'note_product' ) );
		add_action( 'woocommerce_update_product', array( __CLASS__, 'note_product' ) );
		add_action( 'wp_trash_post', array( __CLASS__, 'note_trashed' ) );
		foreach ( array( 'woocommerce_new_customer', 'woocommerce_update_customer', 'user_register', 'profile_update' ) as $hook ) {
			add_action( $hook, array( __CLASS__, 'note_customer' ) );
		}
		add_action( 'rest_api_init', array( __CLASS__, 'listen' ) );
	}

	/** Starts from the beginning. */
	public static function begin() {
		self::stop();
		self::later( 'sendloom_sync', array( self::KINDS[0], 1, 0 ), 0 );
	}

	/** Removes everything that waits. */
	public static function stop() {
		if ( function_exists( 'as_unschedule_all_actions' ) ) {
			foreach ( array( 'sendloom_sync', 'sendloom_send_one', 'sendloom_send_order' ) as $hook ) {
				as_unschedule_all_actions( $hook );
			}
		}
	}

	/** Schedules an action once. */
	public static function later( $hook, $args, $delay ) {
		if ( ! function_exists( 'as_schedule_single_action' ) ) {
			return;
		}
		$waiting = as_get_scheduled_actions( array( 'hook' => $hook, 'args' => $args, 'status' => 'pending', 'per_page' => 1 ), 'ids' );
		if ( ! $waiting ) {
			as_schedule_single_action( time() + $delay, $hook, $args, 'sendloom' );
		}
	}

	/** Sends one page and schedules the next. */
	public static function run( $kind, $page, $attempt = 0 ) {
		if ( ! Sendloom_Client::is_connected() || ! in_array( $kind, self::KINDS, true ) ) {
			return;
		}
		$found = self::page( $kind, $page );
		$rows  = array_values( array_filter( array_map( array( __CLASS__, $kind . '_row' ), $found ) ) );
		if ( $rows && is_wp_error( self::import( $kind, $rows ) ) ) {
			if ( $attempt < self::MAX_ATTEMPTS ) {
				self::later( 'sendloom_sync', array( $kind, $page, $attempt + 1 ), 60 * ( 2 ** $attempt ) );
			}
			return;
		}
		$next = array_search( $kind, self::KINDS, true ) + 1;
		if ( count( $found ) === self::PER_PAGE ) {
			self::later( 'sendloom_sync', array( $kind, $page + 1, 0 ), 0 );
		} elseif ( isset( self::KINDS[ $next ] ) ) {
			self::later( 'sendloom_sync', array( self::KINDS[ $next ], 1, 0 ), 0 );
		}
	}

	/** Sends rows. */
	private static function import( $kind, $rows ) {
		$path = '/v2/stores/' . rawurlencode( Sendloom_Client::get( 'store' ) ) . '/import_shop_data';
		return Sendloom_Client::request( 'POST', $path, array( $kind => $rows ) );
	}

	/** One page of the shop. */
	private static function page( $kind, $page ) {
		$query = array( 'limit' => self::PER_PAGE, 'page' => $page, 'orderby' => 'ID', 'order' => 'ASC' );
		if ( 'products' === $kind ) {
			return wc_get_products( $query + array( 'status' => array( 'publish', 'draft', 'private' ) ) );
		}
		if ( 'orders' === $kind ) {
			return wc_get_orders( $query + array( 'type' => 'shop_order' ) );
		}
		return get_users( array( 'role' => 'customer', 'number' => self::PER_PAGE, 'paged' => $page, 'orderby' => 'ID', 'order' => 'ASC' ) );
	}

	/** A product. */
	public static function products_row( $product ) {
		$created = $product->get_date_created();
		$image   = wp_get_attachment_image_url( (int) $product->get_image_id(), 'woocommerce_single' );
		$terms   = get_the_terms( $product->get_id(), 'product_cat' );
		$regular = (float) $product->get_regular_price();
		return array(
			'remote_productId' => (string) $product->get_id(),
			'title'            => $product->get_name(),
			'description'      => $product->get_short_description() ? $product->get_short_description() : $product->get_description(),
			'sku'              => $product->get_sku(),
			'price'            => (string) $product->get_price(),
			'old_price'        => $regular > (float) $product->get_price() ? (string) $regular : null,
			'currency'         => get_woocommerce_currency(),
			'image'            => $image ? $image : '',
			'url'              => $product->get_permalink(),
			'categories'       => is_array( $terms ) ? wp_list_pluck( $terms, 'name' ) : array(),
			'status'           => $product->get_status(),
			'created_at'       => $created ? gmdate( 'c', $created->getTimestamp() ) : null,
		);
	}

	/** A customer. */
	public static function customers_row( $user ) {
		if ( ! is_email( $user->user_email ) ) {
			return null;
		}
		return array(
			'id'        => (string) $user->ID,
			'email'     => $user->user_email,
			'firstname' => $user->first_name,
			'lastname'  => $user->last_name,
			'phone'     => (string) get_user_meta( $user->ID, 'billing_phone', true ),
			'country'   => (string) get_user_meta( $user->ID, 'billing_country', true ),
		);
	}

	/** An order. */
	public static function orders_row( $order ) {
		if ( ! $order instanceof WC_Order || 'checkout-draft' === $order->get_status() ) {
			return null;
		}
		$row               = Sendloom_Shop::order( $order );
		$modified          = $order->get_date_modified();
		$cart              = (string) $order->get_meta( '_sendloom_cart' );
		$row['orderId']    = $row['order_id'];
		$row['remoteId']   = '' === $cart ? 'order-' . $order->get_id() : $cart;
		$row['name']       = $order->get_order_number();
		$row['created_at'] = $row['order_details']['order_date'];
		$row['updated_at'] = $modified ? gmdate( 'c', $modified->getTimestamp() ) : $row['created_at'];
		return $row;
	}

	/** Has a changed product sent. */
	public static function note_product( $id ) {
		self::later( 'sendloom_send_one', array( 'products', (int) $id ), 5 );
	}

	/** Queues a trashed product, which is no longer sold. */
	public static function note_trashed( $id ) {
		if ( 'product' === get_post_type( $id ) ) {
			self::note_product( $id );
		}
	}

	/** Has a changed customer sent. */
	public static function note_customer( $id ) {
		$user = get_userdata( $id );
		if ( $user && in_array( 'customer', (array) $user->roles, true ) ) {
			self::later( 'sendloom_send_one', array( 'customers', (int) $id ), 5 );
		}
	}

	/** Sends one product or customer. */
	public static function send_one( $kind, $id ) {
		$found = 'products' === $kind ? wc_get_product( $id ) : get_userdata( $id );
		$row   = $found ? call_user_func( array( __CLASS__, 'products' === $kind ? 'products_row' : 'customers_row' ), $found ) : null;
		if ( $row && Sendloom_Client::is_connected() ) {
			self::import( $kind, array( $row ) );
		}
	}

	/** The address that the installation calls when the owner presses a button there. */
	public static function listen() {
		register_rest_route(
			'sender-automated-emails/v2',
			'/webhook_handler',
			array(
				'methods'             => 'POST',
				'permission_callback' => function ( $request ) {
					$token = Sendloom_Client::get( 'token' );
					return '' !== $token && hash_equals( $token, (string) $request->get_header( 'sender-api-key' ) );
				},
				'callback'            => function ( $request ) {
					if ( 'import-shop-data' === $request->get_param( 'topic' ) ) {
						self::begin();
					} elseif ( 'delete-store' === $request->get_param( 'topic' ) ) {
						self::stop();
						delete_option( Sendloom_Client::OPTION );
					}
					return array( 'success' => true );
				},
			)
		);
	}
}

<?php
/** Visitors, carts and orders of WooCommerce, reported by this server. */

defined( 'ABSPATH' ) || exit;

/** Reports of a shop. Carts and views are sent after the response, orders by Action Scheduler. */
class Sendloom_Shop {

	/** The cookie that the script of the installation reads and writes. */
	const COOKIE       = 'sender_subscriber_id';
	const CART         = 'sendloom_cart';
	const MAX_ATTEMPTS = 8;

	/** What is sent after the response. */
	private static $due = array();

	/** Product that this page shows. */
	private static $viewed = 0;

	/** Adds hooks. */
	public static function start() {
		add_action( 'template_redirect', array( __CLASS__, 'see' ) );
		foreach ( array( 'woocommerce_add_to_cart', 'woocommerce_cart_item_removed', 'woocommerce_cart_item_restored', 'woocommerce_after_cart_item_quantity_update', 'woocommerce_cart_emptied', 'woocommerce_applied_coupon', 'woocommerce_removed_coupon' ) as $hook ) {
			add_action( $hook, array( __CLASS__, 'note_cart' ) );
		}
		add_action( 'shutdown', array( __CLASS__, 'flush' ) );
		add_action( 'woocommerce_checkout_order_created', array( __CLASS__, 'adopt_cart' ) );
		add_action( 'woocommerce_store_api_checkout_order_processed', array( __CLASS__, 'adopt_cart' ) );
		foreach ( array( 'woocommerce_new_order', 'woocommerce_update_order', 'woocommerce_order_refunded', 'woocommerce_trash_order', 'woocommerce_untrash_order' ) as $hook ) {
			add_action( $hook, array( __CLASS__, 'note_order' ) );
		}
		add_action( 'sendloom_send_order', array( __CLASS__, 'send_order' ), 10, 2 );
	}

	/** Whether visitors are tracked, and this one has not refused it in a consent tool. */
	private static function may_track() {
		if ( ! Sendloom_Client::is_connected() || ! Sendloom_Settings::get( 'tracking' ) ) {
			return false;
		}
		// The consent API of WordPress, if a consent tool has it.
		return function_exists( 'wp_has_consent' ) ? wp_has_consent( 'marketing' ) : ! Sendloom_Settings::get( 'consent' ) || '' !== self::visitor();
	}

	/** Key of this browser, or an empty string. */
	public static function visitor() {
		$key = isset( $_COOKIE[ self::COOKIE ] ) ? sanitize_text_field( wp_unslash( $_COOKIE[ self::COOKIE ] ) ) : '';
		return preg_match( '/^[\w-]{16,64}$/', $key ) ? $key : '';
	}

	/** Sets the browser's key and records the viewed product. */
	public static function see() {
		if ( is_admin() || ! self::may_track() ) {
			return;
		}
		if ( '' === self::visitor() && ! headers_sent() ) {
			$key = str_replace( '-', '', wp_generate_uuid4() );
			setcookie( self::COOKIE, $key, array( 'expires' => time() + YEAR_IN_SECONDS, 'path' => '/', 'secure' => is_ssl(), 'samesite' => 'Lax' ) );
			$_COOKIE[ self::COOKIE ] = $key;
		}
		if ( is_product() ) {
			self::$viewed      = get_queried_object_id();
			self::$due['view'] = true;
		}
	}

	/** Notes that the cart changed. */
	public static function note_cart() {
		if ( self::may_track() ) {
			self::$due['cart'] = true;
		}
	}

	/** Sends what is due, after the response where the server can do so. */
	public static function flush() {
		if ( ! self::$due || ! Sendloom_Client::is_connected() ) {
			return;
		}
		$due       = self::$due;
		self::$due = array();
		if ( isset( $due['cart'] ) && WC()->cart && WC()->session ) {
			$cart = self::cart();
			WC()->session->save_data();
		}
		if ( function_exists( 'fastcgi_finish_request' ) ) {
			fastcgi_finish_request();
		}
		if ( isset( $cart ) ) {
			Sendloom_Client::request( $cart['method'], $cart['path'], $cart['body'] );
		}
		if ( isset( $due['view'] ) && '' !== self::visitor() ) {
			$view            = self::person( array() );
			$view['product'] = array( 'product_id' => (string) self::$viewed );
			Sendloom_Client::request( 'POST', '/commerce/visitors', $view );
		}
	}

	/** The visitor of this browser, with additional values. */
	private static function person( $values ) {
		$values['store_id'] = Sendloom_Client::get( 'store' );
		if ( '' !== self::visitor() ) {
			$values['visitor'] = self::visitor();
		}
		$user = wp_get_current_user();
		if ( $user->exists() && is_email( $user->user_email ) && ! current_user_can( 'edit_posts' ) ) {
			$values['email']       = $user->user_email;
			$values['customer_id'] = (string) $user->ID;
			$values['firstname']   = $user->first_name;
			$values['lastname']    = $user->last_name;
		}
		return $values;
	}

	/** The call that reports the cart; null for an empty cart that was never reported. */
	private static function cart() {
		$id = (string) WC()->session->get( self::CART, '' );
		if ( WC()->cart->is_empty() ) {
			if ( '' === $id ) {
				return null;
			}
			WC()->session->set( self::CART, null );
			return array(
				'method' => 'DELETE',
				'path'   => '/commerce/carts/' . rawurlencode( $id ),
				'body'   => self::person( array() ),
			);
		}
		if ( '' === $id ) {
			$id = wp_generate_uuid4();
			WC()->session->set( self::CART, $id );
		}
		$products = array();
		foreach ( WC()->cart->get_cart() as $item ) {
			$products[] = self::line( $item['data'], (int) $item['product_id'], (int) $item['quantity'], wc_get_price_including_tax( $item['data'] ) );
		}
		return array(
			'method' => 'POST',
			'path'   => '/commerce/carts',
			'body'   => self::person(
				array(
					'external_id' => $id,
					'url'         => wc_get_cart_url(),
					'currency'    => get_woocommerce_currency(),
					'order_total' => (string) WC()->cart->get_total( 'edit' ),
					'products'    => $products,
				)
			),
		);
	}

	/** One product of a cart or an order. */
	private static function line( $product, $id, $quantity, $price, $name = '' ) {
		$image = $product ? wp_get_attachment_image_url( (int) $product->get_image_id(), 'woocommerce_thumbnail' ) : '';
		return array(
			'product_id' => (string) $id,
			'name'       => '' === $name && $product ? $product->get_name() : $name,
			'sku'        => $product ? $product->get_sku() : '',
			'qty'        => $quantity,
			'price'      => (string) wc_format_decimal( $price, wc_get_price_decimals() ),
			'image'      => $image ? $image : '',
			'url'        => $product ? $product->get_permalink() : '',
		);
	}

	/** Records the cart in its order and ends that cart in the browser. */
	public static function adopt_cart( $order ) {
		$id = WC()->session ? (string) WC()->session->get( self::CART, '' ) : '';
		if ( '' === $id || '' !== (string) $order->get_meta( '_sendloom_cart' ) ) {
			return;
		}
		$order->update_meta_data( '_sendloom_cart', $id );
		$order->update_meta_data( '_sendloom_visitor', self::visitor() );
		$order->save();
		WC()->session->set( self::CART, null );
	}

	/** Has a changed order sent. */
	public static function note_order( $id ) {
		if ( Sendloom_Client::is_connected() ) {
			Sendloom_Sync::later( 'sendloom_send_order', array( (int) $id, 0 ), 0 );
		}
	}

	/** Sends an order in its current state; retries later if the installation does not respond. */
	public static function send_order( $id, $attempt = 0 ) {
		$order = wc_get_order( $id );
		if ( ! $order instanceof WC_Order || ! Sendloom_Client::is_connected() || 'checkout-draft' === $order->get_status() ) {
			return;
		}
		$cart  = (string) $order->get_meta( '_sendloom_cart' );
		$path  = '/commerce/carts/' . rawurlencode( '' === $cart ? 'order-' . $id : $cart ) . '/convert';
		$error = Sendloom_Client::request( 'POST', $path, self::order( $order ) );
		if ( ! is_wp_error( $error ) || $attempt >= self::MAX_ATTEMPTS ) {
			return;
		}
		$data = $error->get_error_data();
		if ( ! isset( $data['status'] ) || $data['status'] >= 500 || 429 === $data['status'] ) {
			Sendloom_Sync::later( 'sendloom_send_order', array( (int) $id, $attempt + 1 ), 60 * ( 4 ** $attempt ) );
		}
	}

	/** An order in the form of the installation. */
	public static function order( $order ) {
		$products = array();
		foreach ( $order->get_items() as $item ) {
			if ( $item instanceof WC_Order_Item_Product ) {
				$products[] = self::line( $item->get_product(), $item->get_product_id(), (int) $item->get_quantity(), $order->get_item_total( $item, true, true ), $item->get_name() );
			}
		}
		$created = $order->get_date_created();
		$values  = array(
			'store_id'      => Sendloom_Client::get( 'store' ),
			'order_id'      => (string) $order->get_id(),
			'status'        => 'trash' === $order->get_status() ? 'cancelled' : 'wc-' . $order->get_status(),
			'email'         => $order->get_billing_email(),
			'customer_id'   => (string) $order->get_customer_id(),
			'currency'      => $order->get_currency(),
			'billing'       => array(
				'first_name' => $order->get_billing_first_name(),
				'last_name'  => $order->get_billing_last_name(),
				'phone'      => $order->get_billing_phone(),
				'country'    => $order->get_billing_country(),
			),
			'order_details' => array(
				'total'      => (string) $order->get_total(),
				'subtotal'   => (string) $order->get_subtotal(),
				'tax'        => (string) $order->get_total_tax(),
				'discount'   => (string) $order->get_total_discount(),
				'shipping'   => (string) $order->get_shipping_total(),
				'refunded'   => (string) $order->get_total_refunded(),
				'order_date' => $created ? gmdate( 'c', $created->getTimestamp() ) : '',
			),
			'products'      => $products,
		);
		$visitor = (string) $order->get_meta( '_sendloom_visitor' );
		if ( '' !== $visitor ) {
			$values['visitor'] = $visitor;
		}
		return $values + Sendloom_Checkout::consent( $order );
	}
}

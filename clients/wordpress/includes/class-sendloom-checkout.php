<?php
/** Consent at checkout: a box that is never ticked in advance, in the classic and in the block checkout. */

defined( 'ABSPATH' ) || exit;

/** The consent box and the buyer's decision. */
class Sendloom_Checkout {

	const META  = '_sendloom_consent';
	const FIELD = 'sendloom/consent';

	/** Adds hooks. */
	public static function start() {
		if ( ! Sendloom_Settings::get( 'checkout' ) || ! Sendloom_Client::is_connected() ) {
			return;
		}
		add_action( 'woocommerce_review_order_before_submit', array( __CLASS__, 'box' ) );
		add_action( 'woocommerce_checkout_create_order', array( __CLASS__, 'read_classic' ) );
		add_action( 'woocommerce_init', array( __CLASS__, 'register_field' ) );
		add_action( 'woocommerce_store_api_checkout_update_order_from_request', array( __CLASS__, 'read_block' ), 10, 2 );
	}

	/** The box of the classic checkout. */
	public static function box() {
		woocommerce_form_field( 'sendloom_consent', array( 'type' => 'checkbox', 'label' => esc_html( Sendloom_Settings::label() ) ), 0 );
	}

	/** The box of the block checkout. As a field of the order it is never filled from an earlier one. */
	public static function register_field() {
		if ( function_exists( 'woocommerce_register_additional_checkout_field' ) ) {
			woocommerce_register_additional_checkout_field(
				array(
					'id'       => self::FIELD,
					'label'    => Sendloom_Settings::label(),
					'location' => 'order',
					'type'     => 'checkbox',
				)
			);
		}
	}

	/** Records the decision from the classic checkout. */
	public static function read_classic( $order ) {
		// phpcs:ignore WordPress.Security.NonceVerification.Missing -- WooCommerce verified the checkout's.
		if ( ! empty( $_POST['sendloom_consent'] ) ) {
			$order->update_meta_data( self::META, gmdate( 'c' ) );
		}
	}

	/** Records the decision from the block checkout. */
	public static function read_block( $order, $request ) {
		$fields = (array) $request->get_param( 'additional_fields' );
		if ( ! empty( $fields[ self::FIELD ] ) ) {
			$order->update_meta_data( self::META, gmdate( 'c' ) );
		} else {
			$order->delete_meta_data( self::META );
		}
	}

	/** Returns the consent of an order, or an empty array. An unchecked box is not a refusal. */
	public static function consent( $order ) {
		$at = (string) $order->get_meta( self::META );
		if ( '' === $at ) {
			return array();
		}
		return array(
			'email_marketing_consent' => array( 'state' => 'subscribed', 'consent_updated_at' => $at ),
			'tags'                    => array_values( (array) Sendloom_Settings::get( 'groups' ) ),
		);
	}
}

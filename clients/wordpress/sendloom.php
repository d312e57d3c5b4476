<?php
/**
 * Plugin Name:       Sendloom
 * Description:       Sign-up forms, and visitors, carts, orders and customers of WooCommerce for your Sendloom installation.
 * Version:           1.0.0
 * Requires at least: 6.1
 * Requires PHP:      7.4
 * License:           GPL-2.0-or-later
 * License URI:       https://www.gnu.org/licenses/gpl-2.0.html
 * Text Domain:       sendloom
 *
 * This program is free software; you can redistribute it and/or modify it under the terms of the GNU
 * General Public License as published by the Free Software Foundation; either version 2 of the
 * License, or (at your option) any later version. It is distributed without any warranty.
 *
 * @package Sendloom
 */

defined( 'ABSPATH' ) || exit;

define( 'SENDLOOM_VERSION', '1.0.0' );
define( 'SENDLOOM_FILE', __FILE__ );

require_once __DIR__ . '/includes/class-sendloom-client.php';
require_once __DIR__ . '/includes/class-sendloom-forms.php';
require_once __DIR__ . '/includes/class-sendloom-settings.php';
require_once __DIR__ . '/includes/class-sendloom-shop.php';
require_once __DIR__ . '/includes/class-sendloom-checkout.php';
require_once __DIR__ . '/includes/class-sendloom-sync.php';

/** Reads the address and token from the downloaded file and deletes the file. */
function sendloom_adopt_connection() {
	$file = __DIR__ . '/connection.php';
	if ( ! is_readable( $file ) ) {
		return;
	}
	$given = include $file;
	wp_delete_file( $file );
	if ( is_array( $given ) && isset( $given['address'], $given['token'] ) ) {
		Sendloom_Client::connect( (string) $given['address'], (string) $given['token'] );
	}
}

register_activation_hook( __FILE__, 'sendloom_adopt_connection' );
register_deactivation_hook( __FILE__, array( 'Sendloom_Sync', 'stop' ) );

add_action( 'admin_init', 'sendloom_adopt_connection' );

add_action(
	'before_woocommerce_init',
	function () {
		if ( class_exists( '\Automattic\WooCommerce\Utilities\FeaturesUtil' ) ) {
			\Automattic\WooCommerce\Utilities\FeaturesUtil::declare_compatibility( 'custom_order_tables', SENDLOOM_FILE, true );
			\Automattic\WooCommerce\Utilities\FeaturesUtil::declare_compatibility( 'cart_checkout_blocks', SENDLOOM_FILE, true );
		}
	}
);

add_action(
	'plugins_loaded',
	function () {
		Sendloom_Settings::start();
		Sendloom_Forms::start();
		if ( class_exists( 'WooCommerce' ) ) {
			Sendloom_Shop::start();
			Sendloom_Checkout::start();
			Sendloom_Sync::start();
		}
	}
);

<?php
/** Removes everything that the plugin stored, on every site of a network. */

defined( 'WP_UNINSTALL_PLUGIN' ) || exit;

/** Removes the data of the current site. */
function sendloom_uninstall_site() {
	global $wpdb;
	$connection = get_option( 'sendloom_connection' );
	if ( is_array( $connection ) && ! empty( $connection['token'] ) && ! empty( $connection['store'] ) ) {
		wp_remote_request(
			$connection['address'] . '/v2/stores/' . rawurlencode( $connection['store'] ),
			array(
				'method'  => 'DELETE',
				'timeout' => 10,
				'headers' => array( 'Authorization' => 'Bearer ' . $connection['token'] ),
			)
		);
	}
	if ( function_exists( 'as_unschedule_all_actions' ) ) {
		as_unschedule_all_actions( '', array(), 'sendloom' );
	}
	delete_option( 'sendloom_connection' );
	delete_option( 'sendloom_settings' );
	delete_transient( 'sendloom_groups' );
	delete_transient( 'sendloom_forms' );
	// phpcs:disable WordPress.DB.DirectDatabaseQuery -- Once, and by the name of the metadata.
	foreach ( array( $wpdb->postmeta, $wpdb->prefix . 'wc_orders_meta' ) as $table ) {
		if ( $wpdb->get_var( $wpdb->prepare( 'SHOW TABLES LIKE %s', $wpdb->esc_like( $table ) ) ) === $table ) {
			// phpcs:ignore WordPress.DB.PreparedSQL.InterpolatedNotPrepared -- The name of a table of WordPress.
			$wpdb->query( "DELETE FROM `{$table}` WHERE meta_key IN ( '_sendloom_cart', '_sendloom_visitor', '_sendloom_consent', '_wc_other/sendloom/consent' )" );
		}
	}
	$wpdb->query( "DELETE FROM {$wpdb->options} WHERE option_name LIKE '\\_transient\\_sendloom\\_notice%' OR option_name LIKE '\\_transient\\_timeout\\_sendloom\\_notice%'" );
	// phpcs:enable
}

if ( is_multisite() ) {
	foreach ( get_sites( array( 'fields' => 'ids', 'number' => 0 ) ) as $sendloom_site ) {
		switch_to_blog( $sendloom_site );
		sendloom_uninstall_site();
		restore_current_blog();
	}
} else {
	sendloom_uninstall_site();
}

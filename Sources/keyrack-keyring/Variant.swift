import CSecret

/// A value as D-Bus knows it. Owns one reference.
@safe final class Variant {
  /// For calls of C; valid as long as this object.
  let pointer: OpaquePointer

  /// Takes over a reference; a floating one, which a new value has, becomes an ordinary one.
  init(taking pointer: OpaquePointer) {
    unsafe self.pointer = unsafe g_variant_take_ref(pointer)
  }

  deinit { unsafe g_variant_unref(pointer) }

  // MARK: Making

  static func text(_ text: String) -> Variant { unsafe Variant(taking: g_variant_new_string(text)) }

  static func tuple(_ parts: Variant...) -> Variant {
    let pointers: [OpaquePointer?] = unsafe parts.map { unsafe $0.pointer }
    return unsafe Variant(taking: g_variant_new_tuple(pointers, gsize(pointers.count)))
  }

  /// `a{ss}`
  static func dictionary(_ pairs: [String: String]) -> Variant {
    let entries: [OpaquePointer?] = unsafe pairs.map {
      unsafe g_variant_new_dict_entry(g_variant_new_string($0.key), g_variant_new_string($0.value))
    }
    let type = unsafe g_variant_type_new("{ss}")
    defer { unsafe g_variant_type_free(type) }
    return unsafe Variant(taking: g_variant_new_array(type, entries, gsize(entries.count)))
  }

  // MARK: Reading; what is not of the kind that is asked for reads as nothing

  var children: [Variant] {
    guard unsafe g_variant_is_container(pointer) != 0 else { return [] }
    return unsafe (0..<g_variant_n_children(pointer)).map {
      unsafe Variant(taking: g_variant_get_child_value(pointer, $0))
    }
  }

  /// Of a variant.
  var inner: Variant? { unsafe g_variant_get_variant(pointer).map { unsafe Variant(taking: $0) } }

  var text: String? {
    guard "sog".contains(kind), let text = unsafe g_variant_get_string(pointer, nil) else { return nil }
    return unsafe String(cString: text)
  }

  var isTrue: Bool { unsafe kind == "b" && g_variant_get_boolean(pointer) != 0 }

  /// Of `a{sX}`.
  var dictionary: [String: Variant] {
    children.reduce(into: [:]) { found, entry in
      let pair = entry.children
      if pair.count == 2, let name = pair[0].text { found[name] = pair[1] }
    }
  }

  private var kind: String { unsafe String(cString: g_variant_get_type_string(pointer)) }
}

/// The position of a child's state in a parent's state. The child's state can be absent, if a case is not active or an
/// optional is nil.
///
/// The path lends the value to a closure instead of returning an optional. An optional would need a type look-up each
/// time, in code that does not know the type.
struct StatePath<Root, Value>: Sendable {
    /// Changes the value in place. Returns false if the value does not exist.
    let modify: @Sendable (inout Root, (inout Value) -> Void) -> Bool
    /// Calls the closure with the value. Returns false if the value does not exist.
    let inspect: @Sendable (Root, (Value) -> Void) -> Bool

    /// Creates a path to a property.
    init(_ path: any WritableKeyPath<Root, Value> & Sendable) {
        // A stored property is accessed at its offset. The key path would find the same place by inspecting its own
        // components, which takes a large part of the time of a small interactor.
        if let offset = MemoryLayout<Root>.offset(of: path) {
            modify = { root, change in
                withUnsafeMutablePointer(to: &root) { root in
                    change(
                        &UnsafeMutableRawPointer(root).advanced(by: offset).assumingMemoryBound(to: Value.self).pointee
                    )
                }
                return true
            }
            inspect = { root, look in
                withUnsafePointer(to: root) { root in
                    look(UnsafeRawPointer(root).advanced(by: offset).assumingMemoryBound(to: Value.self).pointee)
                }
                return true
            }
        } else {
            modify = { root, change in
                change(&root[keyPath: path])
                return true
            }
            inspect = { root, look in
                look(root[keyPath: path])
                return true
            }
        }
    }

    /// Creates a path to the payload of a case.
    init(_ path: AnyCasePath<Root, Value>) {
        modify = path.modification
        inspect = { root, look in
            guard let value = path.extraction(root) else { return false }
            look(value)
            return true
        }
    }

    /// Creates a path to the wrapped value of an optional property.
    init(unwrapping path: any WritableKeyPath<Root, Value?> & Sendable) {
        let property = StatePath<Root, Value?>(path)
        let some = AnyCasePath(\Value?.AllCasePaths.some)
        modify = { root, change in
            var isPresent = false
            _ = property.modify(&root) { isPresent = some.modification(&$0, change) }
            return isPresent
        }
        inspect = { root, look in
            var isPresent = false
            _ = property.inspect(root) { value in
                guard let value else { return }
                isPresent = true
                look(value)
            }
            return isPresent
        }
    }
}

extension CBORReader {
    /// Reads over one value, whatever it is, and checks that it is well-formed: heads, lengths and depth. What strings
    /// hold, and in which order keys come, is not looked at. The time grows with the number of heads.
    ///
    /// - Parameters:
    ///   - allowsIndefinite: accepts strings, arrays and maps that end with a break instead of having a length.
    ///   - steps: counts the heads, where a coding that others wait for reads over them.
    /// - Returns: the bytes of the value, where they lie.
    /// - Throws: ``WireError`` with `malformedBody`.
    @discardableResult
    package mutating func skip(allowsIndefinite: Bool = false) throws(WireError) -> UnsafeRawBufferPointer {
        try skip(allowsIndefinite: allowsIndefinite, counting: nil)
    }

    @discardableResult
    mutating func skip(
        allowsIndefinite: Bool = false,
        counting steps: CodingSteps?
    ) throws(WireError) -> UnsafeRawBufferPointer {
        let start = offset
        try skip(depth: level, allowsIndefinite, steps)
        return UnsafeRawBufferPointer(rebasing: bytes[start..<offset])
    }

    /// Recursion is bounded by ``CBORLimits/maximumDepth``.
    private mutating func skip(depth: Int, _ allowsIndefinite: Bool, _ steps: CodingSteps?) throws(WireError) {
        let start = offset
        steps?.step()
        if allowsIndefinite && start < bytes.count && bytes[start] & 0x1f == 31 {
            return try skipIndefinite(depth: depth, steps)
        }
        let head = try head()
        switch head.major {
        case 2, 3:
            guard head.argument <= UInt64(remaining) else {
                throw .truncated(at: start, needed: Int(clamping: head.argument), remaining: remaining)
            }
            offset += Int(head.argument)
        case 4, 5:
            let width = head.major == 4 ? 1 : 2
            try checkDepth(depth, at: start)
            guard head.argument <= UInt64(remaining / width) else {
                throw .countTooLarge(head.argument, at: start, remaining: remaining)
            }
            for _ in 0..<(Int(head.argument) * width) {
                try skip(depth: depth + 1, allowsIndefinite, steps)
            }
        case 6:
            try checkDepth(depth, at: start)
            try skip(depth: depth + 1, allowsIndefinite, steps)
        default:
            break
        }
    }

    private func checkDepth(_ depth: Int, at start: Int) throws(WireError) {
        guard depth < CBORLimits.maximumDepth else { throw .tooDeep(at: start, maximum: CBORLimits.maximumDepth) }
    }

    private mutating func skipIndefinite(depth: Int, _ steps: CodingSteps?) throws(WireError) {
        let start = offset
        let first = bytes[start]
        let major = first >> 5
        guard (2...5).contains(major) else { throw .reservedHead(first, at: start) }
        try checkDepth(depth, at: start)
        offset += 1
        while true {
            guard offset < bytes.count else { throw .truncated(at: offset, needed: 1, remaining: 0) }
            if bytes[offset] == 0xff { break }
            switch major {
            case 2, 3:
                // The pieces of a string are strings of the same type and of definite length.
                guard bytes[offset] >> 5 == major, bytes[offset] & 0x1f != 31 else {
                    throw .reservedHead(bytes[offset], at: offset)
                }
                try skip(depth: depth + 1, false, steps)
            case 4:
                try skip(depth: depth + 1, true, steps)
            default:
                try skip(depth: depth + 1, true, steps)
                try skip(depth: depth + 1, true, steps)
            }
        }
        offset += 1
    }
}

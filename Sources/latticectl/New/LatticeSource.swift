import Glibc

/// Where a new package gets Lattice from.
enum LatticeSource {
    /// A folder, as a path from the folder of the new package.
    case folder(String)
    /// The main branch of a repository of Git.
    case repository(String)

    /// Creates a source from a folder.
    ///
    /// - Parameter path: A path from the present folder, in which the new package is created.
    /// - Throws: `ControlFailure` if the folder does not have Lattice.
    init(folder path: String) throws {
        guard access("\(path)/Sources/LatticeCore", F_OK) == 0, access("\(path)/Package.swift", F_OK) == 0 else {
            throw ControlFailure(
                "The folder \"\(path)\" does not have Lattice. Clone its repository there, or give the folder with --path"
                    + " or the address of the repository with --url.",
                code: 3
            )
        }
        self = .folder(path.hasPrefix("/") ? path : "../\(path)")
        guard !name.isEmpty, name != ".", name != ".." else {
            throw ControlFailure(
                "The path \"\(path)\" does not end in the name of the folder. The package manager takes the name of"
                    + " Lattice's package from it. Give a path that does, such as ../lattice.",
                code: 64
            )
        }
    }

    /// Creates a source from the address of a repository.
    ///
    /// - Throws: `ControlFailure` if it is no address, or has no name for the package.
    init(address: String) throws {
        self = .repository(address)
        // The package manager would look for "../lattice" in the new package, and not in the present folder.
        guard address.hasPrefix("/") || address.contains(":"), !name.isEmpty, name != ".", name != ".." else {
            throw ControlFailure(
                "\"\(address)\" is no address of a repository. Give one such as https://git.example.org/lattice.git,"
                    + " or a folder with --path.",
                code: 64
            )
        }
    }

    /// The name by which the package manager knows the package: the last part of the path without ".git".
    ///
    /// Only "/" separates parts, also in "git@example.org:lattice.git", as in the package manager.
    var name: String {
        let location =
            switch self {
            case .folder(let path): path
            case .repository(let address): address
            }
        let last = location.split(separator: "/").last ?? ""
        return String(last.hasSuffix(".git") ? last.dropLast(4) : last)
    }

    /// The dependency in `Package.swift`. Without traits, it leaves out what only the tools of Lattice need.
    var dependency: String {
        switch self {
        case .folder(let path): ".package(path: \(Self.literal(path)), traits: [])"
        case .repository(let address): ".package(url: \(Self.literal(address)), branch: \"main\", traits: [])"
        }
    }

    /// Returns a text as a literal of Swift.
    static func literal(_ text: String) -> String {
        // A quotation mark with a combining mark is another character, and still ends a literal.
        let scalars = text.unicodeScalars.map { scalar in
            switch scalar {
            case "\"", "\\": "\\\(scalar)"
            case "\n": "\\n"
            case "\r": "\\r"
            default: "\(scalar)"
            }
        }
        return "\"" + scalars.joined() + "\""
    }
}

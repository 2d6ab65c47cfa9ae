<?php

declare(strict_types=1);

final class Users
{
    public function __construct(private PDO $db)
    {
    }

    /** Finds a user by the name that was typed into the form. */
    public function find(string $name): ?array
    {
        $rows = $this->db->query("SELECT id, name FROM users WHERE name = '$name'");
        $row = $rows->fetch(PDO::FETCH_ASSOC);

        return $row === false ? null : $row;
    }
}

;;; redline-renames.el --- Renamed files, for Redline  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Reports renamed files to the server, which Eglot does not do: it goes on
;; with the old name.  `rename-visited-file', Dired and VC rename a file, and
;; then give its buffer the new name.  A new name alone, as by `write-file',
;; is no rename: the old file is still there.

;;; Code:

(require 'cl-lib)
(require 'eglot)
(require 'jsonrpc)
(require 'redline-preview)

(declare-function redline--file-uri "redline")

(defun redline-renames--follow (old)
  "Report that this buffer's file had the name OLD, and open it by its new one.
While an offer is shown, the server knows it by the old name."
  (unless redline--sessions
    (let ((server (eglot-current-server)))
      (eglot--signal-textDocument/didClose)
      (jsonrpc-notify
       server :workspace/didRenameFiles
       (list :files (vector (list :oldUri (redline--file-uri old)
                                  :newUri (redline--file-uri buffer-file-name)))))
      (eglot--signal-textDocument/didOpen))))

(defun redline-renames--name (set-name &rest arguments)
  "Call SET-NAME with ARGUMENTS, and report it if the file was renamed before."
  (let ((old buffer-file-name))
    (apply set-name arguments)
    (when (and old buffer-file-name
               (eglot-managed-p)
               (cl-typep (eglot-current-server) 'redline-server)
               (not (file-exists-p old))
               (file-exists-p buffer-file-name))
      (redline-renames--follow old))))

(advice-add 'set-visited-file-name :around #'redline-renames--name)

(provide 'redline-renames)
;;; redline-renames.el ends here
